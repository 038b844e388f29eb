public import NightfuseCore

/// Three planes (red, green, blue) of linear light, 1.0 = the reference frame's full scale. Values may be below 0
/// (noise) and above 1 (a longer or shorter frame knew more).
public final class LinearImage: Sendable {
    public let planes: [Plane<Float>]

    public init(planes: [Plane<Float>]) {
        precondition(planes.count == 3)
        self.planes = planes
    }

    public convenience init(width: Int, height: Int) throws(NightfuseError) {
        self.init(planes: [
            try Plane(width: width, height: height), try Plane(width: width, height: height),
            try Plane(width: width, height: height),
        ])
    }

    public var width: Int { planes[0].width }
    public var height: Int { planes[0].height }
}
