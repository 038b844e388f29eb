import NightfuseCore
import NightfuseMetering
import NightfuseTestSupport
import Testing

#if canImport(Glibc)
    import Glibc
#endif

/// What goes into a meter: layouts, strides, sizes, and everything that makes no sense.
@Suite("Preview input")
struct PreviewInputTests {
    private func noisy(_ count: Int, seed: UInt64 = 1) -> [UInt8] {
        var random = SeededRandom(seed: seed)
        return (0..<count).map { _ in UInt8(truncatingIfNeeded: 30 + random.next() % 60) }
    }

    private func add(
        _ bytes: [UInt8], to meter: PreviewMeter, width: Int, height: Int, stride: Int, layout: PreviewLayout,
        tags: PreviewTags = PreviewTags(exposureSeconds: 1.0 / 30, iso: 800, timeSeconds: 0)
    ) throws {
        try bytes.withUnsafeBytes { raw in
            guard let base = raw.baseAddress else { return }
            try meter.add(base, width: width, height: height, stride: stride, layout: layout, tags: tags)
        }
    }

    @Test func layoutsOfOnePictureReadAlike() throws {
        let (width, height) = (128, 96)
        let grey = noisy(width * height)
        func reading(_ layout: PreviewLayout, pad: Int) throws -> SceneReading? {
            let step = layout.bytesPerPixel
            let stride = width * step + pad
            var bytes = [UInt8](repeating: 200, count: stride * height)
            for y in 0..<height {
                for x in 0..<width {
                    for c in 0..<min(step, 3) { bytes[y * stride + x * step + c] = grey[y * width + x] }
                }
            }
            let meter = PreviewMeter()
            for i in 0..<4 {
                try add(
                    bytes, to: meter, width: width, height: height, stride: stride, layout: layout,
                    tags: PreviewTags(exposureSeconds: 1.0 / 30, iso: 800, timeSeconds: Double(i) / 30))
            }
            return meter.reading()
        }
        let luma = try reading(.luma, pad: 0)
        for layout in [PreviewLayout.luma, .rgb, .rgba, .bgra] {
            for pad in [0, 5] { #expect(try reading(layout, pad: pad) == luma, "\(layout), \(pad) bytes of padding") }
        }
    }

    @Test(arguments: [(16, 16), (17, 31), (333, 77), (640, 480), (1283, 717), (64, 2000)])
    func anySizeIsRead(_ width: Int, _ height: Int) throws {
        let meter = PreviewMeter()
        let bytes = noisy(width * height)
        for i in 0..<3 {
            try add(
                bytes, to: meter, width: width, height: height, stride: width, layout: .luma,
                tags: PreviewTags(exposureSeconds: 0.01, iso: 100, timeSeconds: Double(i) / 30))
        }
        let reading = try #require(meter.reading())
        #expect((reading.frameWidth, reading.frameHeight) == (width, height))
        #expect(reading.meanLuminance > 0)
        #expect(reading.cameraMotion?.isFinite ?? true)
    }

    @Test func decodedPicturesAreTaken() throws {
        let plane = try Plane<UInt16>(width: 64, height: 48)
        for y in 0..<48 { for x in 0..<64 { plane[x, y] = UInt16((x * 5 + y * 3) % 200) } }
        let deep = try Plane<UInt16>(width: 64, height: 48)
        for y in 0..<48 { for x in 0..<64 { deep[x, y] = plane[x, y] * 257 } }
        let tags = PreviewTags(exposureSeconds: 0.03, iso: 400, timeSeconds: 0)
        var means: [Double] = []
        for (planes, code) in [([plane], 255), ([plane, plane, plane], 255), ([deep], 65535)] {
            let meter = PreviewMeter()
            try meter.add(Picture(planes: planes, maxCode: code, bits: 8, name: "a"), tags: tags)
            means.append(try #require(meter.reading()).meanLuminance)
        }
        #expect(abs(means[1] / means[0] - 1) < 1e-5)
        #expect(abs(means[2] / means[0] - 1) < 0.02)
    }

    @Test func oneFrameSaysNothingOfMotion() throws {
        let reading = try #require(try RenderedScene().reading(count: 1))
        #expect(reading.cameraMotion == nil)
        #expect(reading.subjectMotion == nil)
        #expect(!reading.steady)
        #expect(reading.meanLuminance > 0)
    }

    @Test func noFrameSaysNothing() { #expect(PreviewMeter().reading() == nil) }

    @Test func anotherSizeIsRefusedUntilReset() throws {
        let meter = PreviewMeter()
        let bytes = noisy(64 * 64)
        try add(bytes, to: meter, width: 64, height: 64, stride: 64, layout: .luma)
        var tags = PreviewTags(exposureSeconds: 0.03, iso: 400, timeSeconds: 1, name: "b.jpg")
        let error = #expect(throws: NightfuseError.self) {
            try add(bytes, to: meter, width: 64, height: 32, stride: 64, layout: .luma, tags: tags)
        }
        #expect(error?.description == "b.jpg: preview is 64 x 32, those before were 64 x 64; all must have one size")
        meter.reset()
        tags.timeSeconds = 0
        try add(bytes, to: meter, width: 64, height: 32, stride: 64, layout: .luma, tags: tags)
        #expect(meter.reading()?.frameHeight == 32)
    }

    @Test func senselessInputIsRefusedInOneLine() throws {
        let bytes = noisy(64 * 64)
        func refused(
            width: Int = 64, height: Int = 64, stride: Int = 64, exposure: Double = 0.03, iso: Double = 400,
            time: Double = 5, saying words: String
        ) {
            let meter = PreviewMeter()
            let error = #expect(throws: NightfuseError.self) {
                try add(
                    bytes, to: meter, width: 64, height: 64, stride: 64, layout: .luma,
                    tags: PreviewTags(exposureSeconds: 0.03, iso: 400, timeSeconds: 4))
                try add(
                    bytes, to: meter, width: width, height: height, stride: stride, layout: .luma,
                    tags: PreviewTags(exposureSeconds: exposure, iso: iso, timeSeconds: time))
            }
            let text = error?.description ?? ""
            #expect(text.contains(words) && !text.contains("\n"), "\(text)")
            // The meter is as it was.
            #expect(meter.reading()?.frameCount == 1)
        }
        refused(width: 8, saying: "16 to 65536")
        refused(stride: 63, saying: "a row of 64 pixels takes 64")
        refused(exposure: 0, saying: "exposure time is 0.0")
        refused(exposure: .nan, saying: "exposure time")
        refused(iso: -1, saying: "ISO is -1.0")
        refused(time: 3, saying: "not after that of the preview before it")
        refused(time: 4, saying: "not after that of the preview before it")
        refused(time: .infinity, saying: "time stamp")
    }

    @Test func gyroscopesAreCheckedToo() throws {
        let meter = PreviewMeter()
        try meter.add(GyroscopeSample(timeSeconds: 1, x: 0, y: 0, z: 0))
        #expect(throws: NightfuseError.self) { try meter.add(GyroscopeSample(timeSeconds: 0, x: 0, y: 0, z: 0)) }
        #expect(throws: NightfuseError.self) { try meter.add(GyroscopeSample(timeSeconds: 2, x: .nan, y: 0, z: 0)) }
    }

    @Test func extremePicturesAreRead() throws {
        for code in [UInt8(0), 255] {
            let meter = PreviewMeter()
            let bytes = [UInt8](repeating: code, count: 96 * 64)
            for i in 0..<10 {
                try add(
                    bytes, to: meter, width: 96, height: 64, stride: 96, layout: .luma,
                    tags: PreviewTags(exposureSeconds: 0.03, iso: 400, timeSeconds: Double(i) / 30))
            }
            let reading = try #require(meter.reading())
            #expect(reading.subjectMotion == 0)
            #expect(reading.meanLuminance.isFinite && reading.shadowDepthEV.isFinite)
            #expect(reading.clippedFraction == (code == 255 ? 1 : 0))
            let plan = try CapturePlanner(device: DeviceLimits()).plan(reading)
            #expect(!plan.frames.isEmpty)
        }
    }

    #if canImport(Glibc) && arch(x86_64)
        /// Bytes in use on the heap: mallinfo2, whose result goes to a hidden pointer, which is the first argument here.
        private func bytesInUse() throws -> Int {
            typealias Function = @convention(c) (UnsafeMutablePointer<Int>) -> Void
            let symbol = try #require(dlsym(nil, "mallinfo2"))
            let function = unsafeBitCast(symbol, to: Function.self)
            var fields = [Int](repeating: 0, count: 10)
            fields.withUnsafeMutableBufferPointer { if let base = $0.baseAddress { function(base) } }
            return fields[7] + fields[4]
        }

        @Test func framesAfterTheFirstAllocateNothing() throws {
            let meter = PreviewMeter()
            let frames = (0..<4).map { noisy(320 * 240, seed: UInt64($0)) }
            func feed(_ from: Int, _ to: Int) throws {
                for i in from..<to {
                    try add(
                        frames[i % 4], to: meter, width: 320, height: 240, stride: 320, layout: .luma,
                        tags: PreviewTags(exposureSeconds: 0.03, iso: 400, timeSeconds: Double(i) / 30))
                }
            }
            try feed(0, 40)
            // What other tests allocate meanwhile shows as well: the least of several looks counts.
            var least = Int.max
            for round in 0..<40 {
                let before = try bytesInUse()
                try feed(40 + round * 4, 44 + round * 4)
                least = min(least, abs(try bytesInUse() - before))
            }
            #expect(least == 0)
        }
    #endif
}
