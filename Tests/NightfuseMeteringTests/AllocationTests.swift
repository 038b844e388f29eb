import AllocationCount
import NightfuseCore
import NightfuseMetering
import NightfuseTestSupport
import Testing

@Suite("Metering allocates at the first frame only")
struct AllocationTests {
    @Test(.enabled(if: allocation_count_works() == 1), arguments: [PreviewLayout.luma, .rgb, .bgra])
    func noFrameAfterTheFirstAllocates(layout: PreviewLayout) throws {
        let (width, height) = (640, 480)
        let stride = width * layout.bytesPerPixel
        let memory = UnsafeMutableRawBufferPointer.allocate(byteCount: stride * height, alignment: 16)
        defer { memory.deallocate() }
        let meter = PreviewMeter(frameWidth: 4000, frameHeight: 3000)
        var random = SeededRandom(seed: 5)
        var counts: [Int] = []
        for index in 0..<40 {
            // A scene with edges that drifts, and noise of its own.
            for y in 0..<height {
                for x in 0..<stride {
                    let block = ((x / layout.bytesPerPixel + 2 * index) / 29 * 37 + y / 31 * 53) % 120
                    memory[y * stride + x] = UInt8(20 + block + Int(random.uniform() * 12))
                }
            }
            guard let base = memory.baseAddress else { return }
            let tags = PreviewTags(exposureSeconds: 1.0 / 30, iso: 3200, timeSeconds: Double(index) / 30)
            let before = allocation_count()
            try meter.add(
                UnsafeRawPointer(base), width: width, height: height, stride: stride, layout: layout, tags: tags)
            counts.append(allocation_count() - before)
        }
        #expect(counts[0] > 0, "the count counts")
        #expect(counts.dropFirst().allSatisfy { $0 == 0 }, "\(counts)")
    }
}
