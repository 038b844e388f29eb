import NightfuseCore
import NightfuseTestSupport
import Testing

@Suite("Plane")
struct PlaneTests {
    @Test(arguments: InterestingSizes.all)
    func rowsStandOnCacheLinesAndStartAtZero(width: Int) throws {
        let plane = try Plane<UInt16>(width: width, height: 3)
        #expect(plane.stride >= width && plane.stride * 2 % 64 == 0 && plane.stride * 2 - width * 2 < 64)
        for y in 0..<3 {
            #expect(Int(bitPattern: plane.row(y).pointer(width)) % 64 == 0)
            #expect(plane.row(y).pointer(width) == (plane.base + y * plane.stride).pointer(width))
            for x in 0..<width { #expect(plane[x, y] == 0) }
        }
    }

    @Test func fillingLeavesTheMemoryPastRowsAlone() throws {
        let plane = try PaintedPlane.marked(13, 4)
        plane.fill(2)
        #expect(PaintedPlane.marksStand(plane))
        #expect(PaintedPlane.largestError(plane) { _, _ in 2 } == 0)
    }

    @Test func aCopyHasMemoryOfItsOwn() throws {
        let plane = try Plane<Float>(width: 5, height: 4)
        plane[4, 3] = 7
        let copy = try plane.copy()
        plane[4, 3] = 8
        #expect(copy[4, 3] == 7 && copy.width == 5 && copy.height == 4)
    }

    @Test(arguments: [(0, 1), (1, 0), (-1, 5), (1 << 28, 1), (1, 1 << 28), (Int.max, Int.max)])
    func impossibleSizesAreRefused(width: Int, height: Int) {
        let error = #expect(throws: NightfuseError.self) { try Plane<Float>(width: width, height: height) }
        #expect(error == .limit("a plane of \(width) x \(height) samples cannot be made"))
    }

    @Test func moreThanTheSystemHasIsRefused() {
        let side = (1 << 28) - 1
        let error = #expect(throws: NightfuseError.self) { try Plane<Double>(width: side, height: side) }
        #expect(error?.description.contains("\(side) x \(side)") == true)
    }
}
