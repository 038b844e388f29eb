/// What EXIF says of a picture made of several: the frames, and the time they took.
public struct CompositeRecord: Equatable, Sendable {
    /// One source frame.
    public struct Source: Equatable, Sendable {
        /// Exposure time; nil where unknown.
        public var exposureSeconds: Double?
        /// Whether it was merged.
        public var used: Bool

        /// A source frame; nil: its exposure is unknown.
        public init(exposureSeconds: Double?, used: Bool) {
            (self.exposureSeconds, self.used) = (exposureSeconds, used)
        }
    }

    /// The frames in the order they were taken.
    public var sources: [Source]
    /// From the first frame's start to the last one's end, in seconds; nil where unknown.
    public var periodSeconds: Double?

    /// The record of these sources, in the order they were taken.
    public init(sources: [Source], periodSeconds: Double? = nil) {
        (self.sources, self.periodSeconds) = (sources, periodSeconds)
    }

    /// The value of SourceExposureTimesOfCompositeImage (EXIF 2.32, CIPA DC-008-2019): the period, then sum, longest and
    /// shortest exposure, each of all and of the used frames; one sequence; its number of frames; their exposures.
    /// Nil where an exposure is unknown.
    public func exposureTimes(_ little: Bool) -> [UInt8]? {
        let all = sources.compactMap(\.exposureSeconds)
        let used = sources.filter(\.used).compactMap(\.exposureSeconds)
        guard all.count == sources.count, all.count <= 65535, let longest = all.max(), let shortest = all.min(),
            let longestUsed = used.max(), let shortestUsed = used.min()
        else { return nil }
        let sums = [all.reduce(0, +), used.reduce(0, +)]
        var value = TIFFWriter(isLittleEndian: little)
        if let periodSeconds {
            value.rational(periodSeconds)
        } else {
            // EXIF's way of saying unknown.
            value.u32(0)
            value.u32(0)
        }
        for seconds in sums + [longest, longestUsed, shortest, shortestUsed] { value.rational(seconds) }
        value.u16(1)
        value.u16(UInt16(all.count))
        for seconds in all { value.rational(seconds) }
        return value.bytes
    }
}
