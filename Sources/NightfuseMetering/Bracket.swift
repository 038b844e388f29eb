/// The frames of a plan in short: so many of the base exposure, so many longer ones.
struct Bracket: Equatable {
    /// Seconds.
    var base: Double
    var baseISO: Double
    var baseCount: Int
    /// Seconds; means nothing where there are none.
    var long = 0.0
    var longISO = 0.0
    var longCount = 0

    var count: Int { baseCount + longCount }

    /// Base frames that follow each other at the start. Long frames come in pairs with a base frame between them, so that
    /// each has a base frame beside it and as many as possible are left for the start: what moves has moved little there.
    var leading: Int { max(baseCount - longCount / 2, min(baseCount, 1)) }

    /// From the first frame's start to the last one's end.
    func seconds(gap: Double) -> Double {
        Double(baseCount) * base + Double(longCount) * long + Double(max(count - 1, 0)) * gap
    }
}
