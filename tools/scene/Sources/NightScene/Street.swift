/// Everything that stands in the street, and the lights that shine on it. The same seed builds the same street.
struct Street: Sendable {
    /// A row house: what its front shows is painted by ``Street/front(_:_:_:)``.
    struct House: Sendable {
        enum Wall: Sendable { case brick, plaster }
        enum GroundFloor: Sendable { case dwelling, bookshop, cafe }
        var low: Vector
        var high: Vector
        /// +1 where the front looks towards +x (houses on the left), -1 on the right.
        var faces: Float
        var wall: Wall
        var colour: Vector
        var groundFloor = GroundFloor.dwelling
        var windowPitch: Float = 2.1
        var litShare: Float = 0.35
        var salt: UInt32
    }

    /// A sign that hangs across the pavement: lettering on a board.
    struct Sign: Sendable {
        var lettering: Lettering
        /// Lower left corner of the text as read, and the letters' height, metres.
        var corner: Vector
        var letterHeight: Float
        var tube: Vector
        var board: Vector
        /// Draws a cross instead of the lettering.
        var cross = false
    }

    struct Light: Sendable {
        var position: Vector
        /// Watts a steradian in the scene's own unit, where radiance 1 is full scale of the base exposure.
        var intensity: Vector
        /// Where it shines most (cosine law); nil shines all round.
        var aim: Vector?
        /// Whether its beam shows in the damp air.
        var inAir = true
    }

    var houses: [House] = []
    var signs: [Sign] = []
    var solids: [Solid] = []
    var lights: [Light] = []
    let shopName = Lettering("LANTERN BOOKS")
    let cafeName = Lettering("CAFE MINERVA")
    let seed: UInt32

    /// Half width of the carriageway and height of the kerb, metres.
    static let kerbX: Float = 2.55
    static let kerbHeight: Float = 0.11
    static let leftWall: Float = -4.2
    static let rightWall: Float = 4.0

    init(seed: UInt64) {
        self.seed = UInt32(truncatingIfNeeded: seed ^ (seed >> 32)) &* 747_796_405 &+ 2_891_336_453
        buildHouses()
        placeLamps()
        hangSigns()
        furnish()
    }

    // MARK: Houses

    private mutating func addHouse(
        left: Bool, from: Float, to: Float, height: Float, _ wall: House.Wall, _ colour: Vector,
        _ groundFloor: House.GroundFloor = .dwelling, pitch: Float = 2.1, lit: Float = 0.35
    ) {
        let low = left ? Vector(-16, -0.5, from) : Vector(Self.rightWall, -0.5, from)
        let high = left ? Vector(Self.leftWall, height, to) : Vector(16, height, to)
        let salt = seed &+ UInt32(houses.count) &* 101
        houses.append(
            House(
                low: low, high: high, faces: left ? 1 : -1, wall: wall, colour: colour, groundFloor: groundFloor,
                windowPitch: pitch, litShare: lit, salt: salt))
        solids.append(Solid(shape: .box(low, high), stuff: .house(houses.count - 1)))
        // A cornice along the eaves and a chimney or two against the sky.
        let out: Float = 0.22
        let eaves = left ? Self.leftWall : Self.rightWall
        solids.append(
            Solid(
                shape: .box(
                    Vector(left ? eaves - 1 : eaves - out, height - 0.05, from),
                    Vector(left ? eaves + out : eaves + 1, height + 0.18, to)),
                stuff: .plain(colour * 0.7), throwsShadow: false))
        for stack in 0..<2 where Grain.cell(stack, 7, salt) > 0.3 {
            let z = mix(from + 0.6, to - 1.4, Grain.cell(stack, 8, salt))
            let x = eaves + (left ? -1.6 : 0.9)
            solids.append(
                Solid(
                    shape: .box(Vector(x, height, z), Vector(x + 0.7, height + 1.3, z + 0.8)),
                    stuff: .plain(Vector(0.16, 0.09, 0.06)), throwsShadow: false))
        }
    }

    private mutating func buildHouses() {
        let brick = Vector(0.34, 0.135, 0.085)
        let brown = Vector(0.25, 0.14, 0.095)
        addHouse(left: true, from: -6, to: 6.4, height: 11, .brick, brown, lit: 0)
        addHouse(left: true, from: 6.4, to: 14.1, height: 10.4, .brick, brick, .bookshop, pitch: 1.92, lit: 0.4)
        addHouse(left: true, from: 16, to: 24, height: 12.6, .plaster, Vector(0.5, 0.36, 0.19), lit: 0.45)
        addHouse(left: true, from: 24, to: 33, height: 9.6, .brick, brown, pitch: 2.25)
        addHouse(left: true, from: 33, to: 46, height: 13.4, .plaster, Vector(0.36, 0.38, 0.4), pitch: 2.6)
        addHouse(left: true, from: 46, to: 62, height: 11, .brick, brick)
        addHouse(left: false, from: -6, to: 7.6, height: 9.2, .plaster, Vector(0.4, 0.34, 0.27), lit: 0)
        addHouse(left: false, from: 7.6, to: 15.2, height: 11.2, .brick, brown, .cafe, pitch: 1.9, lit: 0.4)
        addHouse(left: false, from: 15.2, to: 22, height: 8.9, .plaster, Vector(0.52, 0.46, 0.36), lit: 0.5)
        addHouse(left: false, from: 22, to: 31, height: 13, .brick, brick, pitch: 2.25)
        addHouse(left: false, from: 31, to: 46, height: 10.2, .plaster, Vector(0.42, 0.28, 0.2), pitch: 2.5)
        addHouse(left: false, from: 46, to: 62, height: 12, .brick, brown)
        // The far side of the square, and the clock tower that closes the view.
        solids.append(
            Solid(shape: .box(Vector(-30, -0.5, 78), Vector(30, 8.5, 90)), stuff: .plain(Vector(0.2, 0.17, 0.14))))
        solids.append(Solid(shape: .box(Vector(-4.6, -0.5, 72), Vector(-0.2, 21, 78)), stuff: .tower))
        solids.append(
            Solid(shape: .box(Vector(-4.9, 21, 71.7), Vector(0.1, 21.7, 78.3)), stuff: .plain(Vector(0.3, 0.26, 0.2))))
        for step in 0..<8 {
            let inset = Float(step) * 0.27, y = 21.7 + Float(step) * 0.75
            solids.append(
                Solid(
                    shape: .box(Vector(-4.6 + inset, y, 72 + inset), Vector(-0.2 - inset, y + 0.76, 78 - inset)),
                    stuff: .plain(Vector(0.12, 0.15, 0.14)), throwsShadow: false))
        }
        lights.append(Light(position: Vector(-2.4, 9, 66), intensity: Vector(40, 31, 19), aim: nil, inAir: false))
    }

    // MARK: Lights

    private mutating func placeLamps() {
        let places: [(x: Float, z: Float)] = [
            (3.05, 10.6), (-3.1, 18.5), (3.05, 26), (-3.1, 34), (3.05, 42), (-3.1, 51), (3.05, 60),
        ]
        for place in places { addLamp(place.x, place.z) }
    }

    /// A lamp post: foot, shaft, a lantern of lit glass under a cap.
    private mutating func addLamp(_ x: Float, _ z: Float) {
        let foot = Self.kerbHeight
        let warm = Vector(1, 0.66, 0.33)
        let parts: [(from: Float, to: Float, radius: Float)] = [
            (foot, 0.75, 0.1), (0.75, 0.85, 0.12), (0.85, 3.5, 0.048),
            (3.46, 3.54, 0.13), (4.02, 4.08, 0.2), (4.08, 4.2, 0.1), (4.2, 4.34, 0.025),
        ]
        for part in parts {
            solids.append(
                Solid(
                    shape: .post(x: x, z: z, from: part.from, to: part.to, radius: part.radius), stuff: .iron,
                    throwsShadow: part.to < 3.5))
        }
        solids.append(
            Solid(
                shape: .post(x: x, z: z, from: 3.54, to: 4.02, radius: 0.15), stuff: .glowing(warm * 60),
                throwsShadow: false))
        lights.append(Light(position: Vector(x, 3.8, z), intensity: warm * 11, aim: nil))
    }

    // MARK: Signs and shop windows

    private mutating func hangSigns() {
        let cafe = Lettering("CAFE")
        addSign(
            Sign(
                lettering: cafe, corner: Vector(2.5, 3.12, 8.9), letterHeight: 0.44,
                tube: Vector(1, 0.22, 0.14) * 5, board: Vector(0.02, 0.02, 0.025)), margin: 0.16)
        lights.append(
            Light(position: Vector(3.1, 3.3, 8.7), intensity: Vector(1.3, 0.26, 0.16), aim: Vector(0, -0.3, -1).unit))
        let hotel = Lettering("HOTEL", vertical: true)
        addSign(
            Sign(
                lettering: hotel, corner: Vector(2.95, 4.3, 19.5), letterHeight: 0.62,
                tube: Vector(0.28, 0.62, 1) * 5, board: Vector(0.02, 0.02, 0.03)), margin: 0.15)
        lights.append(
            Light(position: Vector(3.2, 5.9, 19.2), intensity: Vector(0.4, 0.85, 1.4), aim: Vector(0, -0.2, -1).unit))
        addSign(
            Sign(
                lettering: Lettering(""), corner: Vector(-3.95, 3.3, 24.6), letterHeight: 0.9,
                tube: Vector(0.16, 1, 0.42) * 4, board: Vector(0.02, 0.03, 0.02), cross: true), margin: 0.06)
        lights.append(
            Light(position: Vector(-3.5, 3.7, 24.3), intensity: Vector(0.2, 1.2, 0.5), aim: Vector(0, -0.2, -1).unit))
        let warm = Vector(1, 0.74, 0.42)
        for z: Float in [7.4, 9.2, 11.0, 12.8] {
            // The lit window's spill, and a small lamp over the name board.
            lights.append(
                Light(
                    position: Vector(Self.leftWall + 0.05, 1.7, z), intensity: warm * 0.95,
                    aim: Vector(1, -0.2, 0).unit,
                    inAir: false))
            lights.append(
                Light(
                    position: Vector(Self.leftWall + 0.42, 3.72, z), intensity: warm * 0.26,
                    aim: Vector(-0.72, -0.7, 0).unit, inAir: false))
        }
        for z: Float in [8.8, 11.2, 13.8] {
            lights.append(
                Light(
                    position: Vector(Self.rightWall - 0.05, 1.7, z), intensity: Vector(1, 0.62, 0.3) * 0.75,
                    aim: Vector(-1, -0.2, 0).unit, inAir: false))
        }
    }

    private mutating func addSign(_ sign: Sign, margin: Float) {
        let size: Vector
        if sign.cross {
            size = Vector(0.9, 0.9, 0)
        } else {
            let tall: Float = sign.lettering.width < 0.6 ? 6.1 : 1
            size = Vector(sign.lettering.width, tall, 0) * sign.letterHeight
        }
        signs.append(sign)
        solids.append(
            Solid(
                shape: .box(
                    sign.corner - Vector(margin, margin, 0), sign.corner + size + Vector(margin, margin, 0.14)),
                stuff: .sign(signs.count - 1), throwsShadow: false))
    }

    // MARK: Street furniture

    private mutating func furnish() {
        let ground = Self.kerbHeight
        // Kerbs, as long thin boxes: the pavement is their top and is painted by the ground.
        solids.append(
            Solid(
                shape: .box(Vector(-30, -0.5, 62.001), Vector(-29, 0.01, 62.1)), stuff: .kerb, throwsShadow: false))
        // Bookshop: awning and two trays of books before the window.
        for step in 0..<6 {
            let t = Float(step) / 6
            solids.append(
                Solid(
                    shape: .box(
                        Vector(Self.leftWall, 2.72 - t * 0.34, 10.35),
                        Vector(Self.leftWall + 0.25 + t * 1.05, 2.78 - t * 0.34, 13.7)),
                    stuff: .awning(Vector(0.4, 0.06, 0.05), Vector(0.62, 0.57, 0.46)), throwsShadow: step == 5))
        }
        for z: Float in [7.3, 8.45] {
            solids.append(
                Solid(
                    shape: .box(Vector(Self.leftWall + 0.05, ground, z), Vector(Self.leftWall + 0.6, 0.78, z + 0.95)),
                    stuff: .wood))
        }
        // Box trees at the café door, bollards along the kerb.
        for z: Float in [9.3, 12.2, 14.9] {
            solids.append(
                Solid(
                    shape: .box(Vector(3.3, ground, z), Vector(3.9, 0.5, z + 0.6)),
                    stuff: .plain(Vector(0.2, 0.11, 0.07))))
            solids.append(Solid(shape: .box(Vector(3.26, 0.5, z - 0.04), Vector(3.94, 1.15, z + 0.64)), stuff: .hedge))
        }
        for number in 0..<9 {
            let z = 8.2 + Float(number) * 2.6
            solids.append(
                Solid(
                    shape: .post(x: -2.72, z: z, from: 0, to: 0.86, radius: 0.065), stuff: .iron))
            solids.append(
                Solid(shape: .ball(Vector(-2.72, 0.9, z), 0.085), stuff: .iron, throwsShadow: false))
        }
        // A bench against the wall beyond the alley.
        solids.append(
            Solid(shape: .box(Vector(-4.1, 0.5, 20.2), Vector(-3.65, 0.56, 22)), stuff: .wood))
    }

    // MARK: Rays

    /// The first thing a ray meets within `farthest` metres. `solid` is -1 for the ground.
    func meet(_ ray: Ray, farthest: Float = 400) -> Hit? {
        var best = farthest
        var index = -2
        let inverse = Vector(1, 1, 1) / ray.direction
        for i in solids.indices {
            if let t = solids[i].meet(ray, inverse, from: 1e-3, to: best) {
                best = t
                index = i
            }
        }
        if let t = groundDistance(ray), t < best, t > 1e-3 {
            return Hit(distance: t, solid: -1, normal: Vector(0, 1, 0))
        }
        guard index >= 0 else { return nil }
        return Hit(distance: best, solid: index, normal: solids[index].normal(at: ray.point(best)))
    }

    /// Distance to the carriageway or, beyond the kerbs and before the square, the raised pavement.
    private func groundDistance(_ ray: Ray) -> Float? {
        guard ray.direction.y < -1e-5 else { return nil }
        let raised = (Self.kerbHeight - ray.origin.y) / ray.direction.y
        let p = ray.point(raised)
        if raised > 0, abs(p.x) > Self.kerbX, p.z < 62 { return raised }
        return -ray.origin.y / ray.direction.y
    }

    /// Whether anything that throws a shadow stands between a point and a light.
    func isShaded(_ from: Vector, _ light: Vector) -> Bool {
        let way = light - from
        let length = way.length
        let ray = Ray(origin: from, direction: way / length)
        let inverse = Vector(1, 1, 1) / ray.direction
        for solid in solids where solid.throwsShadow {
            if solid.meet(ray, inverse, from: 0.02, to: length - 0.2) != nil { return true }
        }
        return false
    }
}
