extension Street {
    /// The carriageway's setts and the pavement's flags, wet from rain, with puddles in the hollows.
    func ground(_ p: Vector, distance: Float) -> Surface {
        let raised = abs(p.x) > Self.kerbX && p.z < 62
        let wet = wetness(p)
        var surface = raised ? flags(p) : setts(p)
        // A wet stone is darker (light is caught under the film) and shines; a puddle hides the relief.
        let puddle = smooth(0.56, 0.64, wet) * (raised ? 0.6 : 1)
        let film = 0.35 + 0.65 * smooth(0.2, 0.55, wet)
        surface.albedo *= mix(1, 0.55, film)
        surface.normal = mix(surface.normal, Vector(0, 1, 0), puddle).unit
        surface.sheen = mix(0.012, 0.03, film)
        let rough: Float = raised ? 0.085 : 0.07
        surface.roughness = mix(rough, raised ? 0.04 : 0.012, puddle)
        // Far setts are smaller than a pixel: their relief turns into roughness.
        let far = smooth(12, 34, distance)
        surface.normal = mix(surface.normal, Vector(0, 1, 0), far).unit
        surface.roughness = mix(surface.roughness, max(surface.roughness, 0.07), far)
        // Dirt gathers and light fails where pavement and wall meet.
        let corner = min(abs(p.x - Self.leftWall), abs(p.x - Self.rightWall))
        surface.openness = 0.35 + 0.65 * smooth(0, 1.2, corner)
        return surface
    }

    private func wetness(_ p: Vector) -> Float {
        // Water stands along the kerb and in old ruts.
        let gutter = max(0, 1 - abs(abs(p.x) - Self.kerbX + 0.22) / 0.32) * 0.16
        let rut = max(0, 1 - abs(abs(p.x + 0.1) - 0.85) / 0.5) * 0.07
        return Grain.cloud(p.x * 0.8 + 11, p.z * 0.42, octaves: 4, seed &+ 31) + gutter + rut
    }

    /// Setts: rows of rounded stones across the street, every other row shifted by half a stone.
    private func setts(_ p: Vector) -> Surface {
        let deep: Float = 0.135, broad: Float = 0.185
        let row = Grain.floorOf(p.z / deep)
        let jitter = Grain.cell(Int(row), 3, seed) * 0.35
        let across = p.x / broad + (Int(row) & 1 == 0 ? 0.5 : 0) + jitter
        let column = Grain.floorOf(across)
        let u = (across - column - 0.5) * 2
        let v = ((p.z / deep) - row - 0.5) * 2
        let id = Grain.cell(Int(column), Int(row), seed &+ 1)
        let tilt = Grain.cell(Int(column), Int(row), seed &+ 2) - 0.5
        let edge = max(abs(u), abs(v))
        let joint = smooth(0.8, 0.97, edge)
        let grain = Grain.cloud(p.x * 60, p.z * 60, octaves: 2, seed &+ 3)
        let stone = mix(Vector(0.16, 0.16, 0.165), Vector(0.27, 0.245, 0.22), id) * (0.75 + 0.5 * grain)
        let dome: Float = 0.2
        let (u3, v3) = (u * u * u, v * v * v)
        let normal = Vector(dome * u3 + 0.1 * tilt, 1, dome * v3 + 0.08 * (id - 0.5)).unit
        return Surface(albedo: mix(stone, Vector(0.03, 0.028, 0.024), joint), normal: normal)
    }

    /// Flags: big slabs with thin joints; a hewn kerb along the edge.
    private func flags(_ p: Vector) -> Surface {
        let kerb = abs(p.x) < Self.kerbX + 0.16
        let size: Float = kerb ? 0.9 : 0.62
        let column = kerb ? 0 : Grain.floorOf(p.x / 0.55)
        let shift = Grain.cell(Int(column), p.x > 0 ? 1 : 2, seed &+ 40) * size
        let row = Grain.floorOf((p.z + shift) / size)
        let v = (p.z + shift) / size - row
        let u = kerb ? 0.5 : p.x / 0.55 - column
        let id = Grain.cell(Int(column), Int(row), seed &+ 41)
        let joint = max(smooth(0.46, 0.485, abs(v - 0.5)), smooth(0.455, 0.485, abs(u - 0.5)))
        let grain = Grain.cloud(p.x * 24, p.z * 24, octaves: 3, seed &+ 42)
        let stone = Vector(0.24, 0.225, 0.2) * (0.65 + 0.3 * id + 0.35 * grain) * (kerb ? 1.25 : 1)
        let normal = Vector(0.02 * (id - 0.5), 1, 0.01 * (grain - 0.5)).unit
        return Surface(albedo: mix(stone, Vector(0.035, 0.03, 0.026), joint), normal: normal)
    }
}
