/// A fusion under way: frames go in one at a time, each is aligned to the reference, merged and forgotten.
///
/// Memory does not depend on the number of frames; at most three are held until the reference is chosen. Not for
/// use from several threads at once; the work inside is spread over `workers`.
public final class FusionSession {
    private let options: FusionOptions

    /// - Parameters:
    ///   - workers: the threads the session may use.
    ///   - progress: called with the stage and the share of it that is done, 0 to 1, from the session's thread.
    public init(
        options: FusionOptions, workers: Workers, cancellation: Cancellation = Cancellation(),
        progress: (@Sendable (FusionStage, Double) -> Void)? = nil
    ) {
        self.options = options
    }

    /// Takes the next frame. Throws where it cannot belong to the burst (another size or colour space); the session
    /// can go on without it.
    public func add(_ picture: Picture) throws(NightfuseError) {
        throw .argument("not built yet")
    }

    /// Takes the next raw frame; a burst is all pictures or all raw.
    public func add(_ raw: RawFrame) throws(NightfuseError) {
        throw .argument("not built yet")
    }

    /// Ends the burst and gives the picture. Throws `.argument` where no frame was added.
    public func finish() throws(NightfuseError) -> FusionResult {
        throw .argument("not built yet")
    }
}
