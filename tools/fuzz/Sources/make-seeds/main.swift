import NightfuseCodecs
import NightfuseCore

// Writes small inputs for every target below the folder that is named: make-seeds FOLDER. Pictures of kinds that our
// encoders do not write are in the folder `seeds`.

let root = FilePath(CommandLine.arguments.count > 1 ? CommandLine.arguments[1] : ".")

func write(_ target: String, _ name: String, _ bytes: [UInt8]) throws(NightfuseError) {
    let folder = root.appending(Array(target.utf8))
    let output = try AtomicOutput(folder.appending(Array(name.utf8)), overwrite: true)
    try output.write(bytes)
    try output.commit()
}

func planes(_ width: Int, _ height: Int, _ channels: Int) throws(NightfuseError) -> [Plane<UInt16>] {
    var planes: [Plane<UInt16>] = []
    for c in 0..<channels {
        let plane = try Plane<UInt16>(width: width, height: height)
        for y in 0..<height { for x in 0..<width { plane[x, y] = UInt16((x * 7 + y * 11 + c * 50) % 256) } }
        planes.append(plane)
    }
    return planes
}

var edit = EXIFEdit(width: 9, height: 7)
edit.info.exposureSeconds = 0.066
edit.info.iso = 3200
edit.info.date = "2024:02:29 23:59:58.125"
edit.info.make = "Maker"
edit.info.lens = "Lens"
edit.composite = CompositeRecord(sources: [
    .init(exposureSeconds: 0.066, used: true), .init(exposureSeconds: 0.033, used: false),
])
let exif = edit.make().bytes
let spaces = [
    TransferFunction.sRGB, .gamma(2.2), .table((0..<33).map { Float($0 * $0) / 1024 }),
    .parametric(g: 2, a: 0.9, b: 0.1, c: 0.2, d: 0.05, e: 0, f: 0),
].map { ColourSpace(name: "Seed", toXYZ: ColourSpace.sRGB.toXYZ, transfer: $0) }

try write("exif", "minimal", exif)
for (i, space) in spaces.enumerated() {
    try write("icc", "rgb\(i)", makeICCProfile(space, channels: 3))
    try write("icc", "grey\(i)", makeICCProfile(space, channels: 1))
}
for (width, height, channels) in [(1, 1, 1), (9, 7, 3), (17, 16, 3), (8, 33, 1)] {
    let name = "\(width)x\(height)x\(channels)"
    let picture = EncodedPicture(
        planes: try planes(width, height, channels), maxCode: 255, exif: exif,
        icc: makeICCProfile(spaces[1], channels: channels))
    for bits in [8, 16] {
        let sink = MemorySink()
        try encodePNG(picture, bits: bits, to: sink)
        try write("png", "\(name)x\(bits)", sink.bytes)
    }
    for quality in [50, 95] {
        let sink = MemorySink()
        try encodeJPEG(picture, quality: quality, to: sink)
        try write("jpeg", "\(name)q\(quality)", sink.bytes)
    }
}
for (name, bytes) in try dngSeeds() { try write("dng", name, bytes) }
