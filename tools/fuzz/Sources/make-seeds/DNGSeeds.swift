import NightfuseCore
import NightfuseRaw
import NightfuseTestSupport

/// Files by name: layouts and depths, then one with every tag that is read, then what the writer makes of it.
func dngSeeds() throws -> [(String, [UInt8])] {
    var files: [(String, [UInt8])] = []
    for bits in [8, 10, 12, 14, 16] { files.append(("strip\(bits).dng", plain(bits).build())) }
    files.append(("tiles.dng", tiled().build()))
    let rich = rich().build()
    files.append(("rich.dng", rich))
    let frame = try DNGReader.read(rich, name: "rich")
    var writer = DNGWriter()
    let lossless = try writer.bytes(frame)
    files.append(("lossless.dng", lossless))
    writer.preview = .init(
        jpeg: [0xFF, 0xD8, 0xFF, 0xC0, 0, 11, 8, 0, 3, 0, 4, 1, 1, 0x11, 0, 0xFF, 0xD9])
    writer.composite = .init(sourceCount: 8, usedCount: 7, exposureTimes: [1, 2, 3, 4])
    files.append(("preview.dng", try writer.bytes(frame)))
    // The first tile, as a stream of its own.
    if let start = lossless.indices.first(where: { lossless[$0...].starts(with: [0xFF, 0xD8, 0xFF, 0xC4]) }) {
        files.append(("stream.ljp", Array(lossless[start...])))
        var second = Array(lossless[start...])
        // Another predictor, in the byte after the two components of the scan header.
        if let scan = second.indices.first(where: { second[$0...].starts(with: [0xFF, 0xDA]) }) {
            second[scan + 9] = 5
        }
        files.append(("stream5.ljp", second))
    }
    files.append(("restarts.ljp", byHand(components: [0x11], restart: true)))
    files.append(("scans.ljp", byHand(components: [0x11, 0x11], restart: false)))
    return files
}

/// 3 x 2 pixels of 4 bits: codes 0, 10, 110 for differences of 0, 1 and 16 bits; a scan for each component, and on
/// demand a restart after the first row.
private func byHand(components: [UInt8], restart: Bool) -> [UInt8] {
    let count = UInt8(components.count)
    var bytes: [UInt8] = [0xFF, 0xD8, 0xFF, 0xC4, 0, 22, 0, 1, 1, 1] + [UInt8](repeating: 0, count: 13) + [0, 1, 16]
    bytes += [0xFF, 0xC3, 0, 8 + 3 * count, 4, 0, 2, 0, 3, count]
    for i in 0..<count { bytes += [i, components[Int(i)], 0] }
    if restart { bytes += [0xFF, 0xDD, 0, 4, 0, 3] }
    for i in 0..<count {
        bytes += [0xFF, 0xDA, 0, 8, 1, i, 0, 2 + i * 4, 0, 0]
        bytes += restart ? [0b1011_0001, 0xFF, 0xD0, 0b1011_0101] : [0b1011_0001, 0b0110_1011]
    }
    return bytes + [0xFF, 0xD9]
}

private func plain(_ bits: Int) -> RawSample {
    var file = RawSample(width: 12, height: 6, bits: bits)
    let samples = (0..<72).map { ($0 * 37) & ((1 << bits) - 1) }
    file.cells = [Packing.pack(samples, bits: bits, rowSamples: 12, bigEndian: false)]
    return file
}

private func tiled() -> RawSample {
    var file = RawSample(width: 20, height: 18, bits: 12, photometric: 34892, samples: 3)
    file.bigEndian = true
    file.isTiled = true
    file.raw[322] = .short([16])
    file.raw[323] = .short([16])
    let tile = [Int](repeating: 0xABC, count: 16 * 16 * 3)
    file.cells = (0..<4).map { _ in Packing.pack(tile, bits: 12, rowSamples: 48, bigEndian: true) }
    return file
}

private func rich() -> RawSample {
    var file = RawSample(mosaic: (0..<160).map { 600 + $0 * 11 % 97 }, width: 16)
    file.raw.merge([
        50712: .short((0..<64).map { $0 * 20 }), 50713: .short([2, 2]), 50714: .rational([8, 1, 9, 1, 17, 2, 8, 1]),
        50715: .srational((0..<14).flatMap { [$0, 4] }), 50716: .srational((0..<8).flatMap { [-$0, 8] }),
        50717: .long([1260]), 50829: .short([1, 1, 9, 15]), 50719: .rational([1, 1, 1, 1]),
        50720: .rational([12, 1, 6, 1]),
        51041: .double([0.001, 0.0001]), 51008: .undefined(badPixels()), 51009: .undefined(gainMap()),
    ]) { $1 }
    let matrix = [7000, -2000, -500, -4000, 12000, 2000, -500, 1500, 6000].flatMap { [$0, 10000] }
    let calibration = [9, 10, 0, 1, 0, 1, 0, 1, 1, 1, 0, 1, 0, 1, 0, 1, 11, 10]
    file.main.merge([
        271: .text("Maker"), 272: .text("Model"), 274: .short([6]), 306: .text("2024:02:29 23:59:59"),
        700: .byte([60, 120, 62]), 50721: .srational(matrix), 50722: .srational(matrix.reversed()),
        50723: .srational(calibration), 50724: .srational(calibration), 50727: .rational([2, 1, 1, 1, 3, 2]),
        50729: .rational([3457, 10000, 3585, 10000]), 50730: .srational([1, 3]), 50778: .short([17]),
        50779: .short([21]), 50964: .srational(matrix), 50965: .srational(matrix),
    ]) { $1 }
    file.exif = [
        33434: .rational([1, 15]), 34855: .short([65535]), 34867: .long([102_400]),
        36867: .text("2024:02:29 23:59:58"), 37521: .text("25"), 42036: .text("Lens"),
    ]
    file.gps = [0: .byte([2, 3, 0, 0]), 1: .text("N")]
    return file
}

private func bigEndian(_ values: Int...) -> [UInt8] { TagValue.long(values).bytes(true) }

/// A list of FixBadPixelsConstant, FixBadPixelsList, and an optional opcode that is not read.
private func badPixels() -> [UInt8] {
    bigEndian(3, 4, 0x0103_0000, 0, 8, 7, 0) + bigEndian(5, 0x0103_0000, 1, 36, 0, 1, 1, 2, 3, 4, 5, 6, 7)
        + bigEndian(6, 0x0103_0000, 1, 0)
}

private func gainMap() -> [UInt8] {
    bigEndian(1, 9, 0x0103_0000, 0, 76 + 16, 0, 0, 8, 14, 0, 1, 2, 2, 2, 2)
        + TagValue.double([1, 1, 0, 0]).bytes(true)
        + bigEndian(1, 0x3F80_0000, 0x3FC0_0000, 0x4000_0000, 0x3F80_0000)
}
