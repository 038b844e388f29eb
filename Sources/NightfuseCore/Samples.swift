private import Dispatch

/// Coded samples in as few bytes as they need: half the memory, and half the traffic, for pictures of 8 bits.
public enum Samples: Sendable {
    /// Codes of 0 to 255: one plane (grey) or three (red, green, blue), all of one size.
    case bytes([Plane<UInt8>])
    /// Codes of 0 to 65535, as above.
    case words([Plane<UInt16>])

    /// Planes: 1 or 3.
    public var count: Int {
        switch self {
        case .bytes(let planes): planes.count
        case .words(let planes): planes.count
        }
    }

    /// Samples in a row.
    public var width: Int {
        switch self {
        case .bytes(let planes): planes[0].width
        case .words(let planes): planes[0].width
        }
    }

    /// Rows.
    public var height: Int {
        switch self {
        case .bytes(let planes): planes[0].height
        case .words(let planes): planes[0].height
        }
    }

    /// The first plane alone: of grey, what all three hold.
    package var firstOnly: Samples {
        switch self {
        case .bytes(let planes): .bytes([planes[0]])
        case .words(let planes): .words([planes[0]])
        }
    }

    /// Returns the memory that other frames of this size left behind to the system.
    package func releaseOthers() {
        switch self {
        case .bytes(let planes): planes[0].releaseOthers()
        case .words(let planes): planes[0].releaseOthers()
        }
    }

    /// The samples in words: those that are there, or copies.
    ///
    /// - Throws: `.limit` where there is no memory for copies.
    public func words() throws(NightfuseError) -> [Plane<UInt16>] {
        switch self {
        case .words(let planes): return planes
        case .bytes(let planes):
            var result: [Plane<UInt16>] = []
            for plane in planes { result.append(try plane.widened()) }
            return result
        }
    }
}

extension Plane where Element == UInt8 {
    /// The same samples in words.
    public func widened() throws(NightfuseError) -> Plane<UInt16> {
        let result = try Plane<UInt16>(width: width, height: height, isZero: false)
        widen(rows: 0..<height, into: result)
        return result
    }

    /// Some rows in words, into the first rows of a plane as wide.
    package func widen(rows: Range<Int>, into result: Plane<UInt16>) {
        for y in rows {
            let (from, to) = (row(y), result.row(y - rows.lowerBound))
            for x in 0..<width { to[x] = UInt16(truncatingIfNeeded: from[x]) }
        }
    }
}

/// Words that bytes were turned into, made when first asked for. Unchecked: every access holds the lock.
final class WidenedSamples: @unchecked Sendable {
    private let lock = DispatchSemaphore(value: 1)
    private var planes: [Plane<UInt16>]?

    func of(_ samples: Samples) -> [Plane<UInt16>] {
        lock.wait()
        defer { lock.signal() }
        if let planes { return planes }
        do throws(NightfuseError) {
            let made = try samples.words()
            planes = made
            return made
        } catch {
            // A property cannot tell that memory ran out; what must go on calls `words()`.
            fatalError("\(error)")
        }
    }
}
