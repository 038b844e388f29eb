import Nightfuse
import NightfuseCore
import NightfuseTestSupport
import Testing

@Suite("Mosaic buffers")
struct MosaicBufferTests {
    private let workers = Workers(threads: 2)

    private func read(
        _ bytes: [UInt8], stride: Int, _ width: Int, _ height: Int, _ packing: MosaicBuffer.Packing,
        _ sensor: SensorDescription = SensorDescription(pattern: .rggb, black: 64, white: 1023)
    ) throws -> RawFrame {
        let memory = UnsafeMutableRawBufferPointer.allocate(byteCount: bytes.count, alignment: 16)
        defer { memory.deallocate() }
        memory.copyBytes(from: bytes)
        let buffer = MosaicBuffer(
            UnsafeRawBufferPointer(memory), stride: stride, width: width, height: height, packing: packing,
            sensor: sensor)
        try buffer.check(name: "m")
        return try buffer.rawFrame(FrameTags(name: "m"), workers: workers)
    }

    @Test func packedSamplesAreTakenApart() throws {
        // 0x3FF, 0x001, 0x200, 0x155 and, in a group of its own, 0x2AA; a byte of padding to each row.
        let row: [UInt8] = [0xFF, 0x00, 0x80, 0x55, 0b01_00_01_11, 0xAA, 0, 0, 0, 0b10, 0x77]
        let frame = try read(row + row, stride: 11, 5, 2, .packed10)
        #expect(frame.samples == [0x3FF, 0x001, 0x200, 0x155, 0x2AA, 0x3FF, 0x001, 0x200, 0x155, 0x2AA])
        #expect(frame.bits == 10)
    }

    @Test(arguments: [10, 12, 14, 16])
    func unpackedSamplesAreHeldToTheirBits(bits: Int) throws {
        let numbers: [UInt16] = [0, 1, UInt16((1 << bits) - 1), 65535, 513, 7]
        let bytes = numbers.flatMap { [UInt8(truncatingIfNeeded: $0.littleEndian), UInt8($0.littleEndian >> 8)] }
        let frame = try read(bytes, stride: 6, 3, 2, .unpacked(bits: bits))
        let most = (1 << bits) - 1
        #expect(frame.samples == [0, 1, most, most, 513, 7])
    }

    @Test func whatIsKnownOfTheSensorComesAlong() throws {
        var sensor = SensorDescription(pattern: .gbrg, black: 64, white: 1000)
        sensor.black = [60, 61, 62, 63]
        sensor.neutral = [1, 2, 1.5]
        sensor.noise = [NoiseModel(shot: 1e-3, read: 2e-3)]
        sensor.calibrations = [.init(illuminant: 21, colourMatrix: .identity)]
        let frame = try read([UInt8](repeating: 0, count: 32), stride: 8, 4, 4, .unpacked(bits: 10), sensor)
        #expect(frame.layout == .mosaic([1, 2, 0, 1]))
        #expect(frame.black == [60, 61, 62, 63] && frame.white == [1000])
        #expect(frame.neutral == [0.5, 1, 0.75])
        #expect(frame.noise == sensor.noise && frame.calibrations == sensor.calibrations)
    }

    @Test func aSessionFusesSensorBuffers() throws {
        let frames = try RawScene().burst(4)
        let session = FusionSession(options: Fusing.options(), workers: workers)
        let plain = FusionSession(options: Fusing.options(), workers: workers)
        for frame in frames {
            try plain.add(frame)
            var sensor = SensorDescription(pattern: .rggb, black: frame.black[0], white: frame.white[0])
            sensor.neutral = frame.neutral
            sensor.calibrations = frame.calibrations
            sensor.noise = frame.noise
            let plane = frame.planes[0]
            let bytes = UnsafeRawBufferPointer(
                start: plane.base.pointer(plane.stride * plane.height), count: plane.stride * plane.height * 2)
            try session.add(
                MosaicBuffer(
                    bytes, stride: plane.stride * 2, width: frame.width, height: frame.height,
                    packing: .unpacked(bits: 16), sensor: sensor),
                tags: FrameTags(
                    name: frame.name, exposureSeconds: frame.info.exposureSeconds, iso: frame.info.iso))
        }
        let memory = CameraMemory(width: frames[0].width, height: frames[0].height, layout: .rgb16)
        _ = try session.finish(into: memory.output)
        let back = try memory.output.readable.picture(FrameTags(), workers: workers)
        #expect(Fusing.areEqual(back, try plain.finish().picture))
    }

    // MARK: What makes no sense

    private func refusal(_ change: (inout SensorDescription) -> Void, bits: Int = 10) -> String {
        var sensor = SensorDescription(pattern: .rggb, black: 64, white: 1023)
        change(&sensor)
        let error = #expect(throws: NightfuseError.self) {
            try read([UInt8](repeating: 0, count: 32), stride: 8, 4, 4, .unpacked(bits: bits), sensor)
        }
        guard case .argument(let reason)? = error else { return "\(String(describing: error))" }
        return reason
    }

    @Test func descriptionsThatMakeNoSenseAreRefused() {
        #expect(
            refusal { $0.noise = [NoiseModel(shot: .nan, read: 0)] }
                == "m: noise is shot nan, read 0.0; both must be at least 0")
        #expect(refusal { $0.noise = [NoiseModel(shot: 0, read: -1)] }.contains("read -1.0"))
        #expect(
            refusal { $0.noise = [NoiseModel(shot: 0, read: 0), NoiseModel(shot: 0, read: 0)] }.contains("2 entries"))
        #expect(refusal { $0.black = [64, 64, .infinity, 64] }.contains("black is"))
        #expect(refusal { $0.black = [64] }.contains("four levels"))
        #expect(refusal { $0.white = 64 }.contains("white is 64.0; it must be above black"))
        #expect(refusal { $0.white = 4095 }.contains("at most 1024"))
        #expect(refusal { $0.neutral = [1, 0, 1] }.contains("neutral is"))
        #expect(
            refusal {
                $0.calibrations = [.init(illuminant: 21, colourMatrix: Matrix3([Double](repeating: 0, count: 9)))]
            }
            .contains("cannot be inverted"))
        #expect(refusal { $0.baselineExposureEV = .nan }.contains("baseline exposure"))
        #expect(refusal({ _ in }, bits: 11) == "m: samples of 11 bits; 10, 12, 14 and 16 are read")
    }
}
