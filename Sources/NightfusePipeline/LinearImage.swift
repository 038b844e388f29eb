public import NightfuseCore

/// Three planes (red, green, blue) of linear light, 1.0 = the reference frame's full scale. Values may be below 0
/// (noise) and above 1 (a longer or shorter frame knew more).
public final class LinearImage: Sendable {
    /// Red, green and blue.
    public let planes: [Plane<Float>]

    /// An image of three planes of one size.
    public init(planes: [Plane<Float>]) {
        precondition(planes.count == 3)
        self.planes = planes
    }

    /// A black image.
    public convenience init(width: Int, height: Int) throws(NightfuseError) {
        self.init(planes: [
            try Plane(width: width, height: height), try Plane(width: width, height: height),
            try Plane(width: width, height: height),
        ])
    }

    /// Width in pixels.
    public var width: Int { planes[0].width }
    /// Height in pixels.
    public var height: Int { planes[0].height }
}
