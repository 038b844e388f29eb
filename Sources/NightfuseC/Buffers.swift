internal import CNightfuse
internal import Nightfuse

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

/// Bytes that rows of a caller's plane must have; its length is not known, so that it is taken for long enough.
private func reach(stride: Int, rows: Int) -> Int {
    let (bytes, overflow) = max(stride, 0).multipliedReportingOverflow(by: max(rows, 0))
    return overflow ? Int.max : bytes
}

extension nf_image {
    /// The picture that is lent.
    func pixels(name: String) throws(NightfuseError) -> PixelBuffer {
        guard let layout = try PixelLayout.read(layout, matrix, range, name) else {
            throw .argument("\(name): luma alone makes no picture; it is for previews")
        }
        let (width, height) = (Int(width), Int(height))
        return PixelBuffer(
            UnsafeRawBufferPointer(start: pixels, count: pixels == nil ? 0 : reach(stride: stride, rows: height)),
            stride: stride, width: width, height: height, layout: layout,
            chroma: chroma.map {
                UnsafeRawBufferPointer(start: $0, count: reach(stride: chroma_stride, rows: (height + 1) / 2))
            }, chromaStride: chroma_stride)
    }
}

extension nf_output {
    /// The memory that is lent.
    func pixels() throws(NightfuseError) -> MutablePixelBuffer {
        guard let layout = try PixelLayout.read(layout, matrix, range, "the output") else {
            throw .argument("the output: luma alone holds no picture")
        }
        let (width, height) = (Int(width), Int(height))
        return MutablePixelBuffer(
            UnsafeMutableRawBufferPointer(
                start: pixels, count: pixels == nil ? 0 : reach(stride: stride, rows: height)),
            stride: stride, width: width, height: height, layout: layout,
            chroma: chroma.map {
                UnsafeMutableRawBufferPointer(start: $0, count: reach(stride: chroma_stride, rows: (height + 1) / 2))
            }, chromaStride: chroma_stride)
    }
}

extension nf_tags {
    /// The same for Swift.
    func tags() throws(NightfuseError) -> FrameTags {
        // 0 is unknown; what is not above 0 otherwise is refused where the frame is added.
        FrameTags(
            name: name.map { String(cString: $0) } ?? "frame", exposureSeconds: exposure_s == 0 ? nil : exposure_s,
            iso: iso == 0 ? nil : iso, colour: try choice(colour.rawValue, [.sRGB, .displayP3], "colour"))
    }
}

extension nf_raw {
    /// The raw frame that is lent.
    func mosaic(name: String) throws(NightfuseError) -> MosaicBuffer {
        let packings: [MosaicBuffer.Packing] = [
            .packed10, .unpacked(bits: 10), .unpacked(bits: 12), .unpacked(bits: 14), .unpacked(bits: 16),
        ]
        guard packing.rawValue > 0 else { throw .argument("\(name): packing 0 is unknown") }
        let packing = try choice(packing.rawValue - 1, packings, "\(name): packing")
        var sensor = SensorDescription(
            pattern: try choice(pattern.rawValue, [.rggb, .grbg, .gbrg, .bggr], "\(name): pattern"), black: 0,
            white: white)
        sensor.black = [black.0, black.1, black.2, black.3]
        let known = [neutral.0, neutral.1, neutral.2]
        sensor.neutral = known == [0, 0, 0] ? nil : known
        sensor.baselineExposureEV = baseline_exposure_ev
        guard 0...2 ~= calibration_count else {
            throw .argument("\(name): \(calibration_count) calibrations; 0 to 2 are wanted")
        }
        sensor.calibrations = [calibrations.0, calibrations.1].prefix(Int(calibration_count)).map(\.calibration)
        guard [0, 1, 3].contains(noise_count) else {
            throw .argument("\(name): \(noise_count) entries of noise; none, one or three are wanted")
        }
        sensor.noise = [noise.0, noise.1, noise.2].prefix(Int(noise_count)).map {
            NoiseModel(shot: $0.shot, read: $0.read)
        }
        let (width, height) = (Int(width), Int(height))
        return MosaicBuffer(
            UnsafeRawBufferPointer(start: samples, count: samples == nil ? 0 : reach(stride: stride, rows: height)),
            stride: stride, width: width, height: height, packing: packing, sensor: sensor)
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
