internal import NightfuseCodecs
internal import NightfuseCore

/// Reading and writing pictures, one thread.
struct FileBenchmarks {
    let material: Material
    let runs: Int

    func run(megapixels: Double) throws(NightfuseError) {
        let (width, height) = Material.size(megapixels: megapixels)
        let picture = try material.picture(width: width, height: height, index: 0)
        let encoded = EncodedPicture(planes: picture.planes, maxCode: 255)
        print("Files, \(width) x \(height), 8 bit, one thread, median of \(runs)")
        var table = Table("step", "ms", "MiB", "x JPEG decode")
        let jpeg = try written(encoded) { picture, sink throws(NightfuseError) in
            try encodeJPEG(picture, quality: 95, to: sink)
        }
        let png = try written(encoded) { picture, sink throws(NightfuseError) in
            try encodePNG(picture, bits: 8, to: sink)
        }
        let yardstick = try timed { () throws(NightfuseError) in
            _ = try decodePicture(jpeg, name: "jpeg", limits: Limits())
        }
        func add(_ name: String, _ bytes: Int, _ body: () throws(NightfuseError) -> Void) throws(NightfuseError) {
            let seconds = try timed(body)
            table.add(
                name, milliseconds(seconds), decimals(Double(bytes) / 1_048_576, 1), decimals(seconds / yardstick, 2))
        }
        table.add("decode JPEG q95 4:4:4", milliseconds(yardstick), decimals(Double(jpeg.count) / 1_048_576, 1), "1.00")
        try add("encode JPEG q95 4:4:4", jpeg.count) { () throws(NightfuseError) in
            try encodeJPEG(encoded, quality: 95, to: MemorySink())
        }
        try add("decode PNG", png.count) { () throws(NightfuseError) in
            _ = try decodePicture(png, name: "png", limits: Limits())
        }
        try add("encode PNG", png.count) { () throws(NightfuseError) in
            try encodePNG(encoded, bits: 8, to: MemorySink())
        }
        table.show()
    }

    private func written(
        _ picture: EncodedPicture, _ encode: (EncodedPicture, MemorySink) throws(NightfuseError) -> Void
    ) throws(NightfuseError) -> [UInt8] {
        let sink = MemorySink()
        try encode(picture, sink)
        return sink.bytes
    }

    private func timed(_ body: () throws(NightfuseError) -> Void) throws(NightfuseError) -> Double {
        var failure: NightfuseError?
        let seconds = Timing.median(runs) {
            do throws(NightfuseError) { try body() } catch { failure = error }
        }
        if let failure { throw failure }
        return seconds
    }
}
