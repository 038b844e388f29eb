extension Street {
    /// The outside of a house: its front with windows and shop, or a bare party wall.
    func wall(_ house: House, _ p: Vector, _ n: Vector, _ direction: Vector) -> Surface {
        guard abs(n.x) > 0.5 else {
            let along = abs(n.z) > 0.5 ? p.x : p.z
            return masonry(house, along + 40, p.y, n)
        }
        let u = p.z - house.low.z
        let width = house.high.z - house.low.z
        if p.y < Self.groundFloorHeight, house.groundFloor != .dwelling {
            return shopFront(house, p, n, direction, u, width)
        }
        if let window = window(house, u, p.y, width) {
            return opening(house, window, p, n, direction)
        }
        // A string course over the ground floor.
        if abs(p.y - Self.groundFloorHeight - 0.08) < 0.09 {
            return Surface(albedo: Vector(0.34, 0.31, 0.27), normal: (n + Vector(0, 0.25, 0)).unit)
        }
        return masonry(house, u, p.y, n)
    }

    static let groundFloorHeight: Float = 3.62
    private static let storey: Float = 3.05
    private static let recess: Float = 0.17

    // MARK: Walls

    private func masonry(_ house: House, _ u: Float, _ v: Float, _ n: Vector) -> Surface {
        // Soot and damp: darker under the eaves and at the foot, streaks below sills.
        let stain = Grain.cloud(u * 0.7, v * 0.35, octaves: 4, house.salt)
        let foot = 0.6 + 0.4 * smooth(0, 1.3, v - 0.5 * stain)
        let shade = (0.62 + 0.6 * stain) * foot
        if house.wall == .plaster {
            let grain = Grain.cloud(u * 9, v * 9, octaves: 3, house.salt &+ 1)
            let peeled = smooth(0.66, 0.69, Grain.cloud(u * 0.9 + 3, v * 0.9, octaves: 4, house.salt &+ 2))
            if peeled > 0.5 { return bricks(house, u, v, n, Vector(0.3, 0.15, 0.1), shade * 0.9) }
            return Surface(
                albedo: house.colour * shade * (0.85 + 0.3 * grain),
                normal: (n + Vector(0, (grain - 0.5) * 0.16, (stain - 0.5) * 0.1)).unit, openness: 0.45)
        }
        return bricks(house, u, v, n, house.colour, shade)
    }

    private func bricks(
        _ house: House, _ u: Float, _ v: Float, _ n: Vector, _ colour: Vector, _ shade: Float
    ) -> Surface {
        let long: Float = 0.23, high: Float = 0.075
        let row = Grain.floorOf(v / high)
        let along = u / long + (Int(row) & 1 == 0 ? 0.5 : 0)
        let column = Grain.floorOf(along)
        let s = (along - column - 0.5) * long, t = (v / high - row - 0.5) * high
        let id = Grain.cell(Int(column), Int(row), house.salt &+ 4)
        let grain = Grain.smoothNoise(u * 50, v * 50, house.salt &+ 5)
        let seamU = smooth(long / 2 - 0.013, long / 2 - 0.005, abs(s))
        let seamV = smooth(high / 2 - 0.012, high / 2 - 0.005, abs(t))
        let seam = max(seamU, seamV)
        let burnt = id > 0.88 ? Float(0.45) : 1
        let tint = mix(Vector(0.8, 0.85, 0.95), Vector(1.3, 1.1, 0.95), Grain.cell(Int(row), Int(column), house.salt))
        let face = colour * tint * (0.6 + 0.55 * id) * burnt * (0.8 + 0.4 * grain)
        let mortar = Vector(0.24, 0.22, 0.19)
        let lean = Vector(0, seamV * (t > 0 ? 0.7 : -0.7), seamU * (s > 0 ? 0.7 : -0.7))
        let wobble = Vector(0, (grain - 0.5) * 0.3 + (id - 0.5) * 0.12, 0)
        return Surface(
            albedo: mix(face, mortar, seam * 0.8) * shade, normal: (n + lean + wobble).unit, openness: 0.45)
    }

    // MARK: Windows

    struct Opening {
        /// Offsets from the opening's left bottom corner, and its size, metres.
        var x: Float, y: Float, width: Float, height: Float
        var column: Int, floor: Int
        var isDoor: Bool
    }

    private func window(_ house: House, _ u: Float, _ v: Float, _ width: Float) -> Opening? {
        let columns = max(1, Int((width - 0.5) / house.windowPitch))
        let margin = (width - Float(columns) * house.windowPitch) / 2
        let along = (u - margin) / house.windowPitch
        guard along >= 0, along < Float(columns) else { return nil }
        let column = Int(along)
        let x = (along - Float(column)) * house.windowPitch - (house.windowPitch - 1.06) / 2
        guard x > -0.12, x < 1.18 else { return nil }
        if v < Self.groundFloorHeight {
            let door = column == columns / 2
            let y = v - (door ? 0.1 : 1.15), height: Float = door ? 2.5 : 1.75
            guard y > -0.12, y < height + 0.2 else { return nil }
            return Opening(x: x, y: y, width: 1.06, height: height, column: column, floor: 0, isDoor: door)
        }
        let level = (v - Self.groundFloorHeight) / Self.storey
        let floor = Int(level)
        let y = (level - Float(floor)) * Self.storey - 0.85
        let top = Self.groundFloorHeight + Float(floor + 1) * Self.storey
        guard y > -0.12, y < 1.95, top < house.high.y + 0.6 else { return nil }
        return Opening(x: x, y: y, width: 1.06, height: 1.72, column: column, floor: floor + 1, isDoor: false)
    }

    /// A window or door set back in the wall: surround, reveal, frame, and what is behind the glass.
    private func opening(
        _ house: House, _ o: Opening, _ p: Vector, _ n: Vector, _ direction: Vector
    ) -> Surface {
        let stone = Vector(0.42, 0.38, 0.32)
        guard o.x > 0, o.x < o.width, o.y > 0, o.y < o.height else {
            let lean: Float = o.y > o.height || o.y < 0 ? 0.25 : 0
            let grain = Grain.cloud(p.z * 12, p.y * 12, octaves: 2, house.salt &+ 8)
            return Surface(
                albedo: stone * (0.7 + 0.4 * grain), normal: (n + Vector(0, o.y < 0 ? lean : -lean, 0)).unit)
        }
        // Step on to the plane of the glass.
        let go = Self.recess / max(abs(direction.x), 0.02)
        let x = o.x + direction.z * go, y = o.y + direction.y * go
        guard x > 0, x < o.width, y > 0, y < o.height else {
            let side: Vector
            if x <= 0 {
                side = Vector(0, 0, 1)
            } else if x >= o.width {
                side = Vector(0, 0, -1)
            } else {
                side = Vector(0, y <= 0 ? 1 : -1, 0)
            }
            return Surface(albedo: stone * 0.8, normal: side, openness: 0.25)
        }
        if o.isDoor { return door(house, x, y, o, n) }
        let frame: Float = 0.055
        let sash = min(x, o.width - x, y, o.height - y) < frame
        let bars = abs(x - o.width / 2) < 0.025 || abs(y - o.height * 0.62) < 0.025
        if sash || bars { return Surface(albedo: Vector(0.5, 0.48, 0.43), normal: n, openness: 0.3) }
        let number = o.column * 7 + o.floor * 31
        let lit = Grain.cell(number, 1, house.salt) < house.litShare && o.floor > 0
        var surface = Surface(albedo: Vector(0.008, 0.01, 0.012), normal: n, sheen: 0.045, roughness: 0.004)
        if lit { surface.emission = room(house, number, x, y, o, direction) }
        if !lit && Grain.cell(number, 5, house.salt) > 0.5 {
            // Drawn curtains behind dark glass.
            surface.albedo = Vector(0.09, 0.08, 0.075) * (0.6 + 0.4 * Grain.smoothNoise(x * 14, 0, house.salt))
        }
        return surface
    }

    private func door(_ house: House, _ x: Float, _ y: Float, _ o: Opening, _ n: Vector) -> Surface {
        let tint = Grain.cell(o.column, 9, house.salt)
        let paint =
            tint > 0.6 ? Vector(0.05, 0.09, 0.06) : tint > 0.3 ? Vector(0.14, 0.03, 0.025) : Vector(0.03, 0.05, 0.1)
        if y > 2.08 {
            return Surface(
                albedo: Vector(0.02, 0.02, 0.02), emission: Vector(0.5, 0.34, 0.16) * (tint > 0.4 ? 0.25 : 0), normal: n
            )
        }
        let (px, py) = (abs(x - 0.53), y)
        let panel = px > 0.1 && px < 0.42 && ((py > 0.2 && py < 0.85) || (py > 1.02 && py < 1.9))
        let rim = panel && (px < 0.13 || px > 0.39)
        return Surface(albedo: paint * (rim ? 0.5 : panel ? 0.85 : 1.1), normal: n, sheen: 0.02, roughness: 0.05)
    }

    // MARK: Behind the glass

    /// Light out of a lit room: walls, ceiling and a lamp, seen in true perspective, behind curtains or a blind.
    private func room(
        _ house: House, _ number: Int, _ x: Float, _ y: Float, _ o: Opening, _ direction: Vector
    ) -> Vector {
        let mood = Grain.cell(number, 2, house.salt)
        let warm = mix(Vector(1, 0.6, 0.27), Vector(1, 0.82, 0.58), Grain.cell(number, 3, house.salt))
        let strength = 0.08 + 0.34 * Grain.cell(number, 4, house.salt)
        if mood < 0.25 {
            // A blind, lit from behind.
            let slat = 0.8 + 0.2 * Grain.smoothNoise(0, y * 22, house.salt)
            return warm * strength * 0.55 * slat * (0.6 + 0.4 * y / o.height)
        }
        let width: Float = 3.2, height: Float = 2.6, deep: Float = 3.4
        let start = Vector(0, y + 0.8, x + 1.07)
        let d = Vector(abs(direction.x), direction.y, direction.z)
        let (point, normal) = inside(start, d, deep: deep, height: height, width: width)
        let lamp = Vector(1.7, 2.2, width * (0.3 + 0.4 * mood))
        let way = lamp - point
        let fall = max(0.05, dot(normal, way.unit)) / max(dot(way, way), 0.15)
        var light = warm * strength * (1.5 * fall + 0.12)
        if point.y < 0.9 { light *= 0.5 }
        if normal.x < -0.5 { light *= pictureOnWall(point, number, house.salt) }
        // Curtains at either side, in folds.
        let drawn = 0.1 + 0.22 * mood
        let side = min(x, o.width - x) / o.width
        if side < drawn {
            let fold = 0.55 + 0.45 * Grain.smoothNoise(x * 26, number > 20 ? 1 : 2, house.salt)
            let cloth = mood > 0.6 ? Vector(0.75, 0.3, 0.22) : Vector(0.8, 0.74, 0.6)
            light = warm * cloth * strength * 0.55 * fold * (0.55 + 0.45 * y / o.height)
        }
        return light
    }

    private func pictureOnWall(_ p: Vector, _ number: Int, _ salt: UInt32) -> Float {
        let u = p.z - 1.1 - Grain.cell(number, 6, salt), v = p.y - 1.55
        return abs(u) < 0.36 && abs(v) < 0.26 ? 0.35 : 1
    }

    /// Where a ray that starts behind the glass (x inward, y up, z along the wall) meets the room's inside.
    private func inside(
        _ start: Vector, _ d: Vector, deep: Float, height: Float, width: Float
    ) -> (Vector, Vector) {
        let tx = (deep - start.x) / max(d.x, 1e-4)
        let ty = ((d.y > 0 ? height : 0) - start.y) / (abs(d.y) < 1e-4 ? 1e-4 : d.y)
        let tz = ((d.z > 0 ? width : 0) - start.z) / (abs(d.z) < 1e-4 ? 1e-4 : d.z)
        let t = min(tx, ty, tz)
        let point = start + d * t
        if t == tx { return (point, Vector(-1, 0, 0)) }
        if t == ty { return (point, Vector(0, d.y > 0 ? -1 : 1, 0)) }
        return (point, Vector(0, 0, d.z > 0 ? -1 : 1))
    }

    // MARK: Shops

    /// The ground floor of a shop: name board, window between pilasters, stall riser, goods behind the glass.
    private func shopFront(
        _ house: House, _ p: Vector, _ n: Vector, _ direction: Vector, _ u: Float, _ width: Float
    ) -> Surface {
        let books = house.groundFloor == .bookshop
        let paint = books ? Vector(0.02, 0.075, 0.06) : Vector(0.16, 0.03, 0.025)
        let y = p.y
        let edge: Float = 0.35
        if u < edge || u > width - edge { return masonry(house, u, y, n) }
        if y > 2.78 {
            // The name, painted in cream with a thin line around it; left to right as one reads it from the street.
            let name = books ? shopName : cafeName
            let high: Float = 0.44
            let along = house.faces > 0 ? u : width - u
            let s = (along - (width - name.width * high) / 2) / high, t = (y - 2.99) / high
            let ink = 1 - smooth(0.065, 0.085, name.distance(s, t, far: 0.2))
            let fromEdge = min(u - edge, width - edge - u, y - 2.78, 3.6 - y)
            let line = smooth(0.05, 0.055, fromEdge) * (1 - smooth(0.068, 0.073, fromEdge))
            let cream = Vector(0.78, 0.66, 0.4)
            return Surface(
                albedo: mix(paint, cream, max(ink, line * 0.8)), normal: n, sheen: 0.02, roughness: 0.08)
        }
        // Bays of 1.2 m between slim pilasters; the middle one is the door.
        let bays = Int((width - 2 * edge) / 1.2)
        let bay = (width - 2 * edge) / Float(bays)
        let number = min(Int((u - edge) / bay), bays - 1)
        let x = u - edge - Float(number) * bay
        let door = number == bays / 2
        let sill: Float = door ? 0.35 : 0.62
        let frame = min(x, bay - x) < 0.065 || y > 2.66 || y < sill || (abs(y - 2.12) < 0.03)
        if frame {
            let moulding = y < sill ? 0.75 + 0.35 * smooth(0.2, 0.22, abs(x - bay / 2) / bay) : 1.1
            return Surface(albedo: paint * moulding, normal: n, sheen: 0.03, roughness: 0.06)
        }
        var surface = Surface(albedo: Vector(), normal: n, sheen: 0.04, roughness: 0.004)
        surface.emission = shopInside(house, u, y, width, direction, books)
        return surface
    }

    private func shopInside(
        _ house: House, _ u: Float, _ y: Float, _ width: Float, _ direction: Vector, _ books: Bool
    ) -> Vector {
        let d = Vector(abs(direction.x), direction.y, direction.z)
        let deep: Float = books ? 2.6 : 4
        // A display just behind the glass, then the room.
        let shelf: Float = 0.45
        let near = Vector(0, y, u) + d * (shelf / max(d.x, 0.05))
        let warm = Vector(1, 0.73, 0.4)
        if near.y < 1.12, near.y > 0, let goods = display(near.z, near.y, house.salt, books) {
            return goods * warm * 0.5
        }
        let (point, normal) = inside(Vector(0, y, u), d, deep: deep, height: 2.75, width: width)
        var light: Float = 0.05
        for spot in 0..<4 {
            let lamp = Vector(1.3, 2.5, width * (Float(spot) + 0.5) / 4)
            let way = lamp - point
            light += 0.75 * max(0.04, dot(normal, way.unit)) / max(dot(way, way), 0.2)
        }
        if normal.y < -0.5 { light *= 0.8 }
        var colour = Vector(0.62, 0.52, 0.4)
        if normal.x < -0.5 || abs(normal.z) > 0.5 {
            colour =
                books ? spines(normal.x < -0.5 ? point.z : point.x, point.y, house.salt) : panelling(point, house.salt)
        } else if normal.y > 0.5 {
            colour = Vector(0.3, 0.19, 0.1)
        }
        // The pendant lamps themselves.
        let bulbs = pendants(Vector(0, y, u), d, width)
        return colour * warm * light + warm * bulbs
    }

    private func pendants(_ start: Vector, _ d: Vector, _ width: Float) -> Float {
        let p = start + d * (1.3 / max(d.x, 0.05))
        for spot in 0..<4 {
            let dx = p.z - width * (Float(spot) + 0.5) / 4, dy = p.y - 2.25
            let r = (dx * dx + dy * dy).squareRoot()
            if r < 0.13 { return 3.5 }
        }
        return 0
    }

    /// Books or cakes in the window, as colours; nil where one looks over them.
    private func display(_ z: Float, _ y: Float, _ salt: UInt32, _ books: Bool) -> Vector? {
        let column = Int(Grain.floorOf(z / 0.22))
        let tall = 0.8 + 0.3 * Grain.cell(column, 50, salt)
        guard y < tall else { return nil }
        let x = z / 0.22 - Grain.floorOf(z / 0.22)
        if x < 0.07 || x > 0.93 { return Vector(0.03, 0.02, 0.02) }
        let hue = Grain.cell(column, 51, salt), light = 0.25 + 0.6 * Grain.cell(column, 52, salt)
        let cover = books ? bookColour(hue) : Vector(0.7, 0.5, 0.3)
        let title = y > tall - 0.16 && y < tall - 0.09 && x > 0.2 && x < 0.8
        return (title ? Vector(0.85, 0.8, 0.6) : cover) * light
    }

    private func bookColour(_ hue: Float) -> Vector {
        if hue < 0.2 { return Vector(0.42, 0.09, 0.06) }
        if hue < 0.4 { return Vector(0.1, 0.16, 0.24) }
        if hue < 0.6 { return Vector(0.12, 0.2, 0.1) }
        if hue < 0.8 { return Vector(0.5, 0.36, 0.17) }
        return Vector(0.36, 0.28, 0.21)
    }

    private func spines(_ along: Float, _ y: Float, _ salt: UInt32) -> Vector {
        let row = Int(Grain.floorOf(y / 0.36))
        let v = y / 0.36 - Float(row)
        if v < 0.09 { return Vector(0.25, 0.15, 0.08) }
        let column = Int(Grain.floorOf(along / 0.055))
        let tall = 0.72 + 0.25 * Grain.cell(column, row, salt &+ 60)
        if v > tall { return Vector(0.05, 0.03, 0.02) }
        return bookColour(Grain.cell(column, row, salt &+ 61)) * (0.5 + 0.7 * Grain.cell(column, row, salt &+ 62))
    }

    private func panelling(_ p: Vector, _ salt: UInt32) -> Vector {
        let u = (p.z + p.x) / 0.8 - Grain.floorOf((p.z + p.x) / 0.8)
        if p.y < 1.1 { return Vector(0.26, 0.14, 0.07) * (u < 0.06 ? 0.4 : 1) }
        if p.y > 1.4, p.y < 2, u > 0.25, u < 0.75 { return Vector(0.5, 0.55, 0.5) }
        return Vector(0.66, 0.54, 0.36)
    }
}
