import Nightfuse
import NightfuseCore
import NightfuseTestSupport
import Testing

@Suite("Pixel buffers")
struct PixelBufferTests {
    private let one = Workers(threads: 1)

    static let codings: [YCbCr] = YCbCr.Matrix.allCases.flatMap { matrix in
        YCbCr.Range.allCases.map { YCbCr(matrix: matrix, range: $0) }
    }
    static let layouts: [PixelLayout] =
        [.rgb8, .rgba8, .bgra8, .rgb16] + codings.flatMap { [PixelLayout.nv12($0), .nv21($0)] }

    private func picture(_ width: Int, _ height: Int, bits: Int, smooth: Bool) throws -> Picture {
        let planes = try (0..<3).map { _ in try Plane<UInt16>(width: width, height: height) }
        var random = SeededRandom(seed: UInt64(width * 100 + height))
        let most = bits == 8 ? 255.0 : 65535.0
        for y in 0..<height {
            for x in 0..<width {
                for c in 0..<3 {
                    // Slopes that half-size chroma can follow, or noise.
                    let slope = [0.2 + 0.004 * Double(x), 0.5 - 0.003 * Double(y), 0.3 + 0.003 * Double(x)][c]
                    planes[c][x, y] = UInt16((smooth ? slope : random.uniform()) * most)
                }
            }
        }
        return Picture(planes: planes, maxCode: Int(most), bits: bits, name: "painted")
    }

    @Test(arguments: [PixelLayout.rgb8, .rgba8, .bgra8, .rgb16])
    func whatIsWrittenIsReadBack(layout: PixelLayout) throws {
        for (width, height) in InterestingSizes.pairs {
            let memory = CameraMemory(width: width, height: height, layout: layout)
            let picture = try picture(width, height, bits: layout.bits, smooth: false)
            try memory.output.write(picture, workers: Workers(threads: 2))
            #expect(memory.marksStand)
            try memory.output.readable.check(name: "memory")
            let back = try memory.output.readable.picture(FrameTags(), workers: Workers(threads: 2))
            #expect(Fusing.areEqual(picture, back), "\(width) x \(height)")
            #expect(back.maxCode == picture.maxCode)
        }
    }

    @Test(arguments: codings)
    func smoothColoursSurviveHalfSizeChroma(coding: YCbCr) throws {
        for (width, height) in InterestingSizes.pairs {
            for layout in [PixelLayout.nv12(coding), .nv21(coding)] {
                let memory = CameraMemory(width: width, height: height, layout: layout)
                let picture = try picture(width, height, bits: 8, smooth: true)
                try memory.output.write(picture, workers: one)
                #expect(memory.marksStand)
                let back = try memory.output.readable.picture(FrameTags(), workers: one)
                for (p, q) in zip(picture.planes, back.planes) {
                    for y in 0..<height {
                        for x in 0..<width {
                            // Rounding of three codes, chroma's doubled; edges lean half a pixel to one side.
                            #expect(abs(Int(p[x, y]) - Int(q[x, y])) <= 4, "\(width) x \(height) at \(x), \(y)")
                        }
                    }
                }
            }
        }
    }

    /// Codes of ITU-R BT.601 and BT.709 for known colours, worked out by hand.
    @Test(arguments: [
        (YCbCr(matrix: .bt601, range: .full), 76, 85, 255, [254, 0, 0]),
        (YCbCr(matrix: .bt601, range: .video), 81, 90, 240, [254, 0, 0]),
        (YCbCr(matrix: .bt709, range: .full), 54, 99, 255, [254, 0, 0]),
        (YCbCr(matrix: .bt709, range: .video), 63, 102, 240, [255, 1, 0]),
        (YCbCr(matrix: .bt601, range: .video), 235, 128, 128, [255, 255, 255]),
        (YCbCr(matrix: .bt709, range: .video), 16, 128, 128, [0, 0, 0]),
        (YCbCr(matrix: .bt709, range: .full), 128, 128, 128, [128, 128, 128]),
    ])
    func standardCodesGiveTheirColours(coding: YCbCr, y: Int, cb: Int, cr: Int, rgb: [Int]) throws {
        for isSwapped in [false, true] {
            let memory = CameraMemory(width: 3, height: 3, layout: isSwapped ? .nv21(coding) : .nv12(coding))
            for i in 0..<9 { memory[i % 3, i / 3] = UInt8(y) }
            for i in 0..<4 {
                let (a, b) = isSwapped ? (cr, cb) : (cb, cr)
                memory.setChroma(i % 2, i / 2, UInt8(a), UInt8(b))
            }
            let picture = try memory.output.readable.picture(FrameTags(), workers: one)
            for c in 0..<3 { #expect(abs(Int(picture.planes[c][1, 1]) - rgb[c]) <= 1, "\(coding) channel \(c)") }
        }
    }

    @Test func fullRangeChromaLiesBetweenPixelsAndVideoRangeOnTheLeftOnes() throws {
        for (range, wanted) in [(YCbCr.Range.full, [0, 0, 20, 60]), (.video, [0, 0, 40, 80])] {
            let coding = YCbCr(matrix: .bt601, range: range)
            let memory = CameraMemory(width: 8, height: 2, layout: .nv12(coding))
            for i in 0..<16 { memory[i % 8, i / 8] = 100 }
            for i in 0..<4 { memory.setChroma(i, 0, 128, i < 2 ? 128 : 208) }
            let red = try memory.output.readable.picture(FrameTags(), workers: one).planes[0]
            let step = Double(red[7, 0] - red[0, 0])
            // Red grows with Cr: shares of the step at pixels 1, 2, 3 and 4 from where chroma begins to change.
            let shares = [1, 2, 3, 4].map { Double(red[$0, 0] - red[0, 0]) / step * 80 }
            for (a, b) in zip(shares, wanted) { #expect(abs(a - Double(b)) < 2, "\(range) \(shares)") }
        }
    }

    @Test(arguments: layouts)
    func theResultIsWrittenInTheLayoutOfTheCallersBuffer(layout: PixelLayout) throws {
        let frames = try Fusing.handHeld(TestBurst.night(seed: 31, level: 0.2), count: 2)
        var options = Fusing.options(.night)
        options.bits = layout.bits
        let plain = try Fusing.fuse(frames, options).picture
        let session = FusionSession(options: Fusing.options(.night), workers: Workers(threads: 2))
        for frame in frames { try session.add(frame) }
        #expect(session.pictureSize?.width == 160 && session.pictureSize?.height == 120)
        let memory = CameraMemory(width: 160, height: 120, layout: layout)
        let result = try session.finish(into: memory.output)
        #expect(Fusing.areEqual(result.picture, plain))
        #expect(memory.marksStand)
        let back = try memory.output.readable.picture(FrameTags(), workers: one)
        if layout.coding == nil {
            #expect(Fusing.areEqual(back, plain))
        } else {
            // Half-size chroma of a picture with grain.
            #expect(try Fusing.psnr(back, plain) > 30)
        }
    }

    // MARK: What makes no sense

    private func refusal(_ body: (UnsafeMutableRawBufferPointer) throws -> Void) throws -> String {
        let memory = UnsafeMutableRawBufferPointer.allocate(byteCount: 4096, alignment: 16)
        defer { memory.deallocate() }
        let error = #expect(throws: NightfuseError.self) { try body(memory) }
        guard case .argument(let reason)? = error else { return "\(String(describing: error))" }
        return reason
    }

    @Test func buffersThatMakeNoSenseAreRefusedInOneLine() throws {
        let session = FusionSession(options: Fusing.options(), workers: one)
        func add(
            _ memory: UnsafeMutableRawBufferPointer, stride: Int, _ width: Int = 16, _ height: Int = 16,
            _ layout: PixelLayout = .rgb8, chroma: UnsafeMutableRawBufferPointer? = nil
        ) throws {
            try session.add(
                PixelBuffer(
                    UnsafeRawBufferPointer(memory), stride: stride, width: width, height: height, layout: layout,
                    chroma: chroma.map { UnsafeRawBufferPointer($0) }, chromaStride: 16))
        }
        #expect(try refusal { try add($0, stride: 47) } == "frame: the stride of pixels is 47 bytes, a row takes 48")
        #expect(try refusal { try add($0, stride: -48) }.contains("stride of pixels is -48"))
        #expect(try refusal { try add($0, stride: 48, 0, 16) } == "frame: 0 x 16 is no size of a picture")
        #expect(try refusal { try add($0, stride: 512) }.contains("4096 bytes of pixels are too few for 16 rows"))
        #expect(try refusal { try add($0, stride: Int.max) }.contains("too few"))
        #expect(try refusal { try add($0, stride: 97, 16, 16, .rgb16) }.contains("even addresses"))
        #expect(try refusal { try add($0, stride: 16, 16, 16, .nv12(YCbCr())) }.contains("chroma plane is missing"))
        #expect(try refusal { try add($0, stride: 48, chroma: $0) }.contains("a chroma plane beside"))
        let nothing = UnsafeMutableRawBufferPointer(start: nil, count: 0)
        #expect(try refusal { _ in try add(nothing, stride: 48) } == "frame: there is no memory of pixels")
        let tags = FrameTags(name: "n", exposureSeconds: .nan)
        #expect(
            try refusal { memory in
                try session.add(
                    PixelBuffer(UnsafeRawBufferPointer(memory), stride: 48, width: 16, height: 16, layout: .rgb8),
                    tags: tags)
            } == "n: exposure time is nan; it must be above 0")
        #expect(throws: NightfuseError.argument("there is no frame to fuse")) { try session.finish() }
    }

    @Test func outputsThatDoNotFitAreRefusedAndTheSessionGoesOn() throws {
        let session = FusionSession(options: Fusing.options(), workers: one)
        try session.add(try Fusing.flat(16, 16, [900, 900, 900]))
        let small = CameraMemory(width: 15, height: 16, layout: .rgb8)
        #expect(throws: NightfuseError.argument("the output is 15 x 16, the picture is 16 x 16")) {
            try session.finish(into: small.output)
        }
        #expect(
            try refusal { memory in
                let luma = UnsafeMutableRawBufferPointer(rebasing: memory[0..<256])
                let chroma = UnsafeMutableRawBufferPointer(rebasing: memory[255..<512])
                _ = try session.finish(
                    into: MutablePixelBuffer(
                        luma, stride: 16, width: 16, height: 16, layout: .nv12(YCbCr()), chroma: chroma,
                        chromaStride: 16))
            } == "the output: luma and chroma overlap")
        let right = CameraMemory(width: 16, height: 16, layout: .rgb8)
        _ = try session.finish(into: right.output)
    }
}
