import NightfuseCore
import NightfusePipeline
import NightfuseTestSupport

/// Linear pictures that the finish tests are made on.
enum FinishScenes {
    static func image(
        _ width: Int, _ height: Int, _ light: (_ x: Int, _ y: Int) -> (Double, Double, Double)
    ) throws -> LinearImage {
        let image = try LinearImage(width: width, height: height)
        for y in 0..<height {
            for x in 0..<width {
                let (r, g, b) = light(x, y)
                image.planes[0][x, y] = Float(r)
                image.planes[1][x, y] = Float(g)
                image.planes[2][x, y] = Float(b)
            }
        }
        return image
    }

    static func copy(_ image: LinearImage) throws -> LinearImage {
        LinearImage(planes: [try image.planes[0].copy(), try image.planes[1].copy(), try image.planes[2].copy()])
    }

    /// A street at night, 240 x 160: black sky, a wall lit from the left, a window, a sodium lamp with its glow at
    /// (200, 40), wet ground with texture. `scale` 1 has the lamp's core at twice full scale.
    static func street(scale: Double = 1, seed: UInt64 = 1) throws -> LinearImage {
        var random = SeededRandom(seed: seed)
        return try image(240, 160) { x, y in
            let grain = random.normal() * 0.0002
            var light = (0.0004, 0.0004, 0.0005)
            if y > 110 {
                light = (0.006, 0.005, 0.004)
            } else if x > 40, x < 150, y > 30 {
                let fall = 0.02 * (1 - Double(x - 40) / 160)
                light = (fall, fall * 0.8, fall * 0.6)
                if x > 70, x < 90, y > 60, y < 85 { light = (0.4, 0.32, 0.2) }
            }
            let texture = 1 + 0.3 * (random.uniform() - 0.5)
            let d2 = Double((x - 200) * (x - 200) + (y - 40) * (y - 40))
            let lamp = d2 < 16 ? 2 : 0.3 / (1 + d2 / 20)
            let glow = lamp * (d2 < 16 ? 1 : 0.2)
            return (
                max(0, (light.0 * texture + glow + grain) * scale),
                max(0, (light.1 * texture + glow * 0.55 + grain) * scale),
                max(0, (light.2 * texture + glow * 0.15 + grain) * scale)
            )
        }
    }

    static func luma(_ image: LinearImage, _ x: Int, _ y: Int) -> Double {
        Double(
            0.2126 * image.planes[0][x, y] + 0.7152 * image.planes[1][x, y] + 0.0722 * image.planes[2][x, y])
    }

    static func green(_ image: LinearImage, row y: Int) -> [Float] { (0..<image.width).map { image.planes[1][$0, y] } }

    static func codedMean(_ image: LinearImage) -> Double {
        var sum = 0.0
        for y in 0..<image.height {
            for x in 0..<image.width { sum += TransferFunction.sRGB.coded(max(luma(image, x, y), 0)) }
        }
        return sum / Double(image.width * image.height)
    }

    static let displayP3 = ColourSpace(
        name: "Display P3",
        toXYZ: Matrix3([0.51512, 0.29198, 0.15710, 0.24120, 0.69225, 0.06657, -0.00105, 0.04189, 0.78407]),
        transfer: .sRGB)
    static let adobeRGB = ColourSpace(
        name: "Adobe RGB (1998)",
        toXYZ: Matrix3([0.60974, 0.20528, 0.14919, 0.31111, 0.62567, 0.06322, 0.01947, 0.06087, 0.74457]),
        transfer: .gamma(563.0 / 256))

    /// CIE L*a*b* under D50 of linear light.
    static func lab(_ rgb: [Double], _ colour: ColourSpace) -> [Double] {
        let xyz = colour.toXYZ * rgb
        func f(_ t: Double) -> Double { t > 216.0 / 24389 ? cubeRoot(t) : (24389.0 / 27 * t + 16) / 116 }
        let (x, y, z) = (f(xyz[0] / 0.9642), f(xyz[1]), f(xyz[2] / 0.8249))
        return [116 * y - 16, 500 * (x - y), 200 * (y - z)]
    }

    /// By Newton's method: the tests need no C library.
    private static func cubeRoot(_ t: Double) -> Double {
        var r = 1.0
        for _ in 0..<60 { r -= (r * r * r - t) / (3 * r * r) }
        return r
    }
}
