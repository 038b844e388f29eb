internal import CNightfuse
internal import Nightfuse

// `unsafe`: these structs of C's have addresses in them (see Handles.swift). The sizes that come with them are held against
// each other by the buffers' checks.

extension PixelLayout {
    /// The header's numbers; nil: luma alone.
    static func read(
        _ layout: nf_layout, _ matrix: nf_matrix, _ range: nf_range, _ what: String
    ) throws(NightfuseError) -> PixelLayout? {
        switch layout {
        case NF_LAYOUT_RGB8: return .rgb8
        case NF_LAYOUT_RGBA8: return .rgba8
        case NF_LAYOUT_BGRA8: return .bgra8
        case NF_LAYOUT_RGB16: return .rgb16
        case NF_LAYOUT_LUMA8: return nil
        case NF_LAYOUT_NV12, NF_LAYOUT_NV21:
            let coding = YCbCr(
                matrix: try choice(matrix.rawValue, [.bt601, .bt709], "\(what): matrix"),
                range: try choice(range.rawValue, [.full, .video], "\(what): range"))
            return layout == NF_LAYOUT_NV12 ? .nv12(coding) : .nv21(coding)
        default: throw .argument("\(what): layout \(layout.rawValue) is unknown")
        }
    }
}

/// The value that stands for a number of an enumeration.
func choice<T>(_ number: UInt32, _ values: [T], _ what: String) throws(NightfuseError) -> T {
    guard Int(number) < values.count else { throw .argument("\(what) \(number) is unknown") }
    return values[Int(number)]
}

/// A caller's plane. Its length is not known, and is taken for long enough for its rows.
private func lent(_ start: UnsafeMutableRawPointer?, stride: Int, rows: Int) -> UnsafeMutableRawBufferPointer {
    guard let start = unsafe start else { return unsafe UnsafeMutableRawBufferPointer(start: nil, count: 0) }
    let (bytes, overflow) = max(stride, 0).multipliedReportingOverflow(by: max(rows, 0))
    return unsafe UnsafeMutableRawBufferPointer(start: start, count: overflow ? Int.max : bytes)
}

private func lent(_ start: UnsafeRawPointer?, stride: Int, rows: Int) -> UnsafeRawBufferPointer {
    // To be read alone, as the type of the result says.
    unsafe UnsafeRawBufferPointer(lent(UnsafeMutableRawPointer(mutating: start), stride: stride, rows: rows))
}

extension nf_image {
    /// The picture that is lent.
    func pixels(name: String) throws(NightfuseError) -> PixelBuffer {
        guard let layout = try unsafe PixelLayout.read(layout, matrix, range, name) else {
            throw .argument("\(name): luma alone makes no picture; it is for previews")
        }
        let (width, height) = unsafe (Int(width), Int(height))
        return unsafe PixelBuffer(
            lent(pixels, stride: stride, rows: height), stride: stride, width: width, height: height, layout: layout,
            chroma: chroma.map { unsafe lent($0, stride: chroma_stride, rows: (height + 1) / 2) },
            chromaStride: unsafe chroma_stride)
    }
}

extension nf_output {
    /// The memory that is lent.
    func pixels() throws(NightfuseError) -> MutablePixelBuffer {
        guard let layout = try unsafe PixelLayout.read(layout, matrix, range, "the output") else {
            throw .argument("the output: luma alone holds no picture")
        }
        let (width, height) = unsafe (Int(width), Int(height))
        return unsafe MutablePixelBuffer(
            lent(pixels, stride: stride, rows: height), stride: stride, width: width, height: height, layout: layout,
            chroma: chroma.map { unsafe lent($0, stride: chroma_stride, rows: (height + 1) / 2) },
            chromaStride: unsafe chroma_stride)
    }
}

extension nf_tags {
    /// The same for Swift.
    func tags() throws(NightfuseError) -> FrameTags {
        // 0 is unknown; what is not above 0 otherwise is refused where the frame is added.
        unsafe FrameTags(
            name: text(name, or: "frame"), exposureSeconds: exposure_s == 0 ? nil : exposure_s,
            iso: iso == 0 ? nil : iso, colour: try choice(colour.rawValue, [.sRGB, .displayP3], "colour"))
    }
}

extension nf_raw {
    /// The raw frame that is lent.
    func mosaic(name: String) throws(NightfuseError) -> MosaicBuffer {
        let packings: [MosaicBuffer.Packing] = [
            .packed10, .unpacked(bits: 10), .unpacked(bits: 12), .unpacked(bits: 14), .unpacked(bits: 16),
        ]
        guard unsafe packing.rawValue > 0 else { throw .argument("\(name): packing 0 is unknown") }
        let packing = try unsafe choice(packing.rawValue - 1, packings, "\(name): packing")
        var sensor = unsafe SensorDescription(
            pattern: try choice(pattern.rawValue, [.rggb, .grbg, .gbrg, .bggr], "\(name): pattern"), black: 0,
            white: unsafe white)
        sensor.black = unsafe [black.0, black.1, black.2, black.3]
        let known = unsafe [neutral.0, neutral.1, neutral.2]
        sensor.neutral = known == [0, 0, 0] ? nil : known
        sensor.baselineExposureEV = unsafe baseline_exposure_ev
        guard unsafe 0...2 ~= calibration_count else {
            throw .argument(unsafe "\(name): \(calibration_count) calibrations; 0 to 2 are wanted")
        }
        sensor.calibrations = unsafe [calibrations.0, calibrations.1].prefix(Int(calibration_count)).map(\.calibration)
        guard unsafe [0, 1, 3].contains(noise_count) else {
            throw .argument(unsafe "\(name): \(noise_count) entries of noise; none, one or three are wanted")
        }
        sensor.noise = unsafe [noise.0, noise.1, noise.2].prefix(Int(noise_count)).map {
            NoiseModel(shot: $0.shot, read: $0.read)
        }
        let (width, height) = unsafe (Int(width), Int(height))
        return unsafe MosaicBuffer(
            lent(samples, stride: stride, rows: height), stride: stride, width: width, height: height,
            packing: packing, sensor: sensor)
    }
}

extension nf_calibration {
    fileprivate var calibration: RawFrame.Calibration {
        RawFrame.Calibration(
            illuminant: Int(illuminant), colourMatrix: Self.matrix(colour),
            forwardMatrix: has_forward == 0 ? nil : Self.matrix(forward))
    }

    private typealias Nine = (Double, Double, Double, Double, Double, Double, Double, Double, Double)

    private static func matrix(_ m: Nine) -> Matrix3 {
        Matrix3([m.0, m.1, m.2, m.3, m.4, m.5, m.6, m.7, m.8])
    }
}
