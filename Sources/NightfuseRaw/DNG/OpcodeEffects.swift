internal import NightfuseCore

/// What the opcode lists of a file ask for, as far as it is read.
struct OpcodeEffects {
    private(set) var gainMaps: [RawFrame.GainMap] = []
    /// Codes that stand for "no value" (FixBadPixelsConstant).
    private(set) var badConstants: [UInt16] = []
    /// Bad pixels and half-open rectangles (FixBadPixelsList), in the active area.
    private(set) var badRectangles: [PixelRectangle] = []
    private(set) var notes: [String] = []
    /// OpcodeList1 without what the fields above hold; empty where nothing is left.
    private(set) var restOfList1: [UInt8] = []
    private let isMosaic: Bool
    private let area: PixelRectangle
    private let fileName: String

    init(_ raw: TIFFDirectory, area: PixelRectangle, isMosaic: Bool) throws(NightfuseError) {
        (self.area, self.isMosaic, fileName) = (area, isMosaic, raw.bytes.name)
        for (tag, number) in OpcodeList.tags {
            guard let list = try OpcodeList(raw, tag, number) else { continue }
            var rest: [Opcode] = []
            for opcode in list.opcodes where !(try take(opcode, number)) {
                guard opcode.isOptional else {
                    throw .unsupported(
                        fileName,
                        "needs the opcode \(opcode.title) of \(tag), which is not read; "
                            + "have your raw converter bake it in, or make it optional")
                }
                notes.append("\(tag): \(opcode.title), marked optional, was skipped.")
                rest.append(opcode)
            }
            // Its coordinates count from the raster's corner, which a file of the active area alone no longer has.
            if number == 1, !rest.isEmpty, area.top == 0, area.left == 0 {
                restOfList1 = OpcodeList(number: 1, opcodes: rest).encoded
            }
        }
    }

    /// Takes in an opcode that is read; false for others.
    private mutating func take(_ opcode: Opcode, _ list: Int) throws(NightfuseError) -> Bool {
        switch opcode.kind {
        case .gainMap where list > 1:
            try takeGainMap(opcode, list)
            return true
        case .fixBadPixelsConstant where list == 1 && isMosaic:
            guard opcode.parameters.count == 8 else { throw broken(opcode) }
            if let constant = UInt16(exactly: opcode.u32(0)) { badConstants.append(constant) }
            return true
        case .fixBadPixelsList where list == 1 && isMosaic:
            try takeBadPixels(opcode)
            return true
        default: return false
        }
    }

    private func broken(_ opcode: Opcode) -> NightfuseError {
        .file(fileName, "the opcode \(opcode.title) has \(opcode.parameters.count) bytes that do not fit together")
    }

    private mutating func takeBadPixels(_ opcode: Opcode) throws(NightfuseError) {
        guard opcode.parameters.count >= 12 else { throw broken(opcode) }
        let (points, rectangles) = (opcode.u32(4), opcode.u32(8))
        guard opcode.parameters.count == 12 + points * 8 + rectangles * 16 else { throw broken(opcode) }
        for i in 0..<points {
            let (y, x) = (opcode.u32(12 + i * 8), opcode.u32(16 + i * 8))
            takeBad(PixelRectangle(top: y, left: x, bottom: y + 1, right: x + 1))
        }
        for i in 0..<rectangles {
            let at = 12 + points * 8 + i * 16
            takeBad(
                PixelRectangle(
                    top: opcode.u32(at), left: opcode.u32(at + 4), bottom: opcode.u32(at + 8),
                    right: opcode.u32(at + 12)))
        }
    }

    /// Notes what of a rectangle of the raster lies in the active area.
    private mutating func takeBad(_ bad: PixelRectangle) {
        let inside = PixelRectangle(
            top: max(bad.top, area.top) - area.top, left: max(bad.left, area.left) - area.left,
            bottom: min(bad.bottom, area.bottom) - area.top, right: min(bad.right, area.right) - area.left)
        if inside.width > 0 && inside.height > 0 { badRectangles.append(inside) }
    }

    private mutating func takeGainMap(_ opcode: Opcode, _ list: Int) throws(NightfuseError) {
        let header = 76
        guard opcode.parameters.count >= header else { throw broken(opcode) }
        var map = RawFrame.GainMap()
        (map.top, map.left) = (opcode.u32(0), opcode.u32(4))
        (map.bottom, map.right) = (min(opcode.u32(8), area.height), min(opcode.u32(12), area.width))
        (map.plane, map.planes) = (opcode.u32(16), opcode.u32(20))
        (map.rowPitch, map.columnPitch) = (opcode.u32(24), opcode.u32(28))
        (map.rows, map.columns, map.mapPlanes) = (opcode.u32(32), opcode.u32(36), opcode.u32(72))
        (map.spacingV, map.spacingH) = (opcode.double(40), opcode.double(48))
        (map.originV, map.originH) = (opcode.double(56), opcode.double(64))
        map.byColour = isMosaic && list == 3
        let (points, overflow) = map.rows.multipliedReportingOverflow(by: map.columns)
        guard !overflow, points > 0, map.mapPlanes > 0, map.mapPlanes <= 4, map.rowPitch > 0, map.columnPitch > 0,
            map.plane < 4, map.planes > 0,
            points <= opcode.parameters.count, opcode.parameters.count == header + points * map.mapPlanes * 4,
            [map.spacingV, map.spacingH].allSatisfy({ $0 > 0 && $0.isFinite }) || points == 1,
            [map.originV, map.originH].allSatisfy({ abs($0) <= 1000 })
        else { throw broken(opcode) }
        let planesThere = isMosaic && list == 2 ? 1 : 3
        map.planes = min(map.planes, planesThere - map.plane)
        map.gains = (0..<points * map.mapPlanes).map { opcode.float(header + $0 * 4) }
        // A gain of a lens's corner is 8 at most; what is far beyond is no gain.
        guard map.gains.allSatisfy({ $0 >= 0 && $0 <= 1024 }) else { throw broken(opcode) }
        if map.planes > 0 && map.top < map.bottom && map.left < map.right { gainMaps.append(map) }
    }

    /// Every bad pixel: those listed, and those of `plane` that hold a bad constant. Adds a note, and gives none, where
    /// there are too many to be mended from their neighbours.
    mutating func badPixels(in plane: Plane<UInt16>) -> [(x: Int, y: Int)] {
        // One in sixteen leaves every 2 x 2 cell three good neighbours of its colour.
        let most = max(plane.width * plane.height / 16, 1)
        var found: [(x: Int, y: Int)] = []
        func add(_ x: Int, _ y: Int) -> Bool {
            found.append((x, y))
            return found.count <= most
        }
        var isFew = true
        for bad in badRectangles where isFew {
            for y in bad.top..<bad.bottom where isFew {
                for x in bad.left..<bad.right where isFew { isFew = add(x, y) }
            }
        }
        if !badConstants.isEmpty {
            // One pass, however many constants a file may name.
            var isBad = [Bool](repeating: false, count: 65536)
            for constant in badConstants { isBad[Int(constant)] = true }
            for y in 0..<plane.height where isFew {
                let row = plane.row(y)
                for x in 0..<plane.width where isBad[Int(row[x])] && isFew { isFew = add(x, y) }
            }
        }
        guard isFew else {
            notes.append("More than \(most) pixels are marked bad; the marks were ignored.")
            return []
        }
        return found
    }
}
