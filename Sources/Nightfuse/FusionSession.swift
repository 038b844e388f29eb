internal import NightfuseKernels

/// A fusion under way: frames go in one at a time, each is aligned to the reference, merged and forgotten.
///
/// Memory does not depend on the number of frames; at most three are held until the reference is chosen. Not for
/// use from several threads at once; the work inside is spread over `workers`.
public final class FusionSession {
    private let options: FusionOptions
    private let workers: Workers
    private var held: [FrameData] = []
    private var fusion: Fusion?

    /// - Parameters:
    ///   - workers: the threads the session may use.
    ///   - progress: called with the stage and the share of it that is done, 0 to 1, from the session's thread.
    public init(
        options: FusionOptions, workers: Workers, cancellation: Cancellation = Cancellation(),
        progress: (@Sendable (FusionStage, Double) -> Void)? = nil
    ) {
        self.options = options
        self.workers = workers
    }

    /// Takes the next frame. Throws where it cannot belong to the burst (another size or colour space); the session
    /// can go on without it.
    public func add(_ picture: Picture) throws(NightfuseError) {
        let frame = FrameData(picture: picture)
        if let fusion {
            let r = try fusion.add(frame)
            dump(picture.name, r.weight, r.field)
            return
        }
        held.append(frame)
        if held.count == 3 { try start() }
    }
    func start() throws(NightfuseError) {
        fusion = try Fusion(reference: held[0], partner: held.count > 1 ? held[1] : nil, workers: workers)
        print(fusion!.noise.channels)
        print(fusion!.noise.spectrum[0].prefix(8), fusion!.noise.spectrum[1].prefix(8))
        for f in held.dropFirst() {
            let r = try fusion!.add(f)
            dump(f.name, r.weight, r.field)
        }
    }

    /// Takes the next raw frame; a burst is all pictures or all raw.
    public func add(_ raw: RawFrame) throws(NightfuseError) {
        throw .argument("not built yet")
    }

    /// Ends the burst and gives the picture. Throws `.argument` where no frame was added.
    public func finish() throws(NightfuseError) -> FusionResult {
        if fusion == nil { try start() }
        let image = try fusion!.finish(strength: Float(options.strength))
        let planes = [try Plane<UInt16>(width: image.width, height: image.height), try Plane<UInt16>(width: image.width, height: image.height), try Plane<UInt16>(width: image.width, height: image.height)]
        for c in 0..<3 {
            for y in 0..<image.height {
                for x in 0..<image.width {
                    planes[c][x, y] = UInt16(TransferFunction.sRGB.coded(Double(image.planes[c][x, y])) * 65535 + 0.5)
                }
            }
        }
        return FusionResult(picture: Picture(planes: planes, maxCode: 65535, bits: 16, name: ""), reference: 0, frames: [], noise: NoiseModel(shot: 0, read: 0), effectiveFrames: (0, 0), seconds: StageSeconds())
    }
}

func dump(_ name: String, _ weight: Double, _ f: AlignmentField) {
    var xs = [Float](repeating: 0, count: f.width), ys = xs
    var line = "F \(name) \(weight)"
    var y = 8
    while y < f.height {
        f.positions(row: y, from: 0, count: f.width, level: 0, xs: &xs, ys: &ys)
        var x = 8
        while x < f.width { 
            let g = f.global(Double(x), Double(y))
            line += " \(x),\(y),\(xs[x]),\(ys[x]),\(g.x),\(g.y)"; x += 16 }
        y += 16
    }
    print(line)
}
