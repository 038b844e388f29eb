import Foundation
import NightfuseCore
import Testing

/// Planes in files: what they hold is kept, whoever lets go of it when.
@Suite("Planes in files")
struct ScratchPlanesTests {
    /// Descriptor of a new file without a name.
    private static func open(_ bytes: Int) -> Int32 {
        guard let file = tmpfile() else { return -1 }
        defer { fclose(file) }
        let descriptor = dup(fileno(file))
        return ftruncate(descriptor, bytes) == 0 ? descriptor : -1
    }

    @Test func whatIsWrittenComesBack() throws {
        ScratchPlanes.begin(keeping: 0, Self.open)
        defer { ScratchPlanes.end() }
        let plane = try Plane<UInt16>(width: 2000, height: 1000)
        #expect(plane[1999, 999] == 0)
        try Workers(threads: 4).bands(1000, grain: 16) { (_, rows) throws(NightfuseError) in
            for y in rows { for x in 0..<2000 { plane.mutableRow(y)[x] = UInt16(truncatingIfNeeded: x &* 31 &+ y) } }
        }
        let copy = try plane.copy()
        ScratchPlanes.letGo()
        for y in 0..<1000 {
            let (a, b) = (plane.row(y), copy.row(y))
            #expect((0..<2000).allSatisfy { a[$0] == UInt16(truncatingIfNeeded: $0 &* 31 &+ y) && b[$0] == a[$0] })
        }
    }
}
