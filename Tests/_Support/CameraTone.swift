public import NightfuseCore

#if canImport(Glibc)
    private import Glibc
#elseif canImport(Musl)
    private import Musl
#elseif canImport(Android)
    private import Android
#elseif canImport(Darwin)
    private import Darwin
#endif

/// A camera's own tone curve: an S on top of its colour space's, another one for every channel.
public struct CameraTone: Sendable {
    /// How far each channel's S is bent: the slope at black is less by this share, in the middle more.
    public var bends: [Double]

    public init(bends: [Double] = [0.5, 0.4, 0.6]) { self.bends = bends }

    /// A picture of 16 bits as the camera would have stored it.
    public func applied(to picture: Picture) throws -> Picture {
        let planes = try zip(picture.planes, bends).map { plane, bend in
            let table = (0...65535).map { code -> UInt16 in
                let v = Double(code) / 65535
                return UInt16((v - bend * sin(2 * .pi * v) / (2 * .pi)) * 65535 + 0.5)
            }
            let out = try Plane<UInt16>(width: plane.width, height: plane.height)
            for y in 0..<plane.height { for x in 0..<plane.width { out[x, y] = table[Int(plane[x, y])] } }
            return out
        }
        return Picture(
            planes: planes, maxCode: picture.maxCode, bits: picture.bits, name: picture.name, colour: picture.colour,
            info: picture.info, format: picture.format)
    }
}
