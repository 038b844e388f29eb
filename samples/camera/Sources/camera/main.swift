import Nightfuse

/// A simulated camera that meters, plans, shoots and fuses at the pace of a real one.
///
///     camera [--size WxH] [--seed N] [--shake S] [--out FILE.jpg]
var (width, height, seed, shake) = (1024, 768, UInt64(1), 1.0)
var output: String?

func usage() -> Never {
    fatalUsage("usage: camera [--size WxH] [--seed N] [--shake S] [--out FILE.jpg]")
}

var words = CommandLine.arguments.dropFirst()
while let word = words.popFirst() {
    guard let value = words.popFirst() else { usage() }
    switch word {
    case "--size":
        let sides = value.split(separator: "x").compactMap { Int($0) }
        guard sides.count == 2, sides.allSatisfy({ 64...8192 ~= $0 }) else { usage() }
        (width, height) = (sides[0] & ~1, sides[1] & ~1)
    case "--seed":
        guard let number = UInt64(value) else { usage() }
        seed = number
    case "--shake":
        guard let number = Double(value), 0...10 ~= number else { usage() }
        shake = number
    case "--out": output = value
    default: usage()
    }
}

do {
    print("painting the street, \(width) x \(height)")
    let camera = try SimulatedCamera(width: width, height: height, seed: seed, shake: shake, workers: .everyCore)
    try Shoot(camera: camera, output: output).run()
} catch {
    fatalUsage("camera: \(error)", status: 1)
}
