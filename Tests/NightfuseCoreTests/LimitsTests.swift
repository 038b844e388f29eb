import NightfuseCore
import Testing

@Suite("Limits")
struct LimitsTests {
    private func check(_ width: Int, _ height: Int, bytes: Int = 1, _ limits: Limits = Limits()) throws {
        try limits.check(width: width, height: height, bytesPerPixel: bytes, name: "a.png")
    }

    @Test func whatFitsPasses() throws {
        try check(1, 1)
        try check(1 << 14, 1 << 14)
        try check(1 << 14, 1 << 14, bytes: 16)
    }

    @Test(arguments: [(0, 5), (5, 0), (-1, 5)])
    func noSizeIsTheFilesFault(width: Int, height: Int) {
        #expect(throws: NightfuseError.file("a.png", "size \(width) x \(height) makes no picture")) {
            try check(width, height)
        }
    }

    @Test(arguments: [((1 << 14) + 1, 1 << 14), (Int.max, 2), (1 << 40, 1 << 40)])
    func tooManyPixelsAreALimit(width: Int, height: Int) {
        let error = #expect(throws: NightfuseError.self) { try check(width, height) }
        #expect(error == .limit("a.png: \(width) x \(height) is more than the 256 Mi pixels allowed"))
    }

    @Test func tooManyBytesNameTheFlagAndWhatWouldDo() throws {
        var limits = Limits()
        limits.memoryBytes = 1 << 20
        let error = #expect(throws: NightfuseError.self) { try check(1024, 1024, bytes: 2, limits) }
        #expect(
            error
                == .limit("a.png: 1024 x 1024 needs 2 MiB, and 1 MiB are allowed; --max-memory 3M would do"))
        limits.memoryBytes = 3 << 20
        try check(1024, 1024, bytes: 2, limits)
        #expect(throws: NightfuseError.self) { try check(1024, 1024, bytes: Int.max, limits) }
    }
}
