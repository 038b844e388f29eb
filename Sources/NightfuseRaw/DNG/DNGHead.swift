internal import NightfuseCore

/// Everything before the samples: header and directories, with their places worked out.
struct DNGHead {
    let bytes: [UInt8]

    private static let headerSize = 8

    init(
        _ writer: DNGWriter, _ frame: RawFrame, samples: DNGSamples, preview: DNGPreview?
    ) throws(NightfuseError) {
        let bigEndian = frame.carried.bigEndian
        var builder = DNGDirectories(frame, writer)
        // Directories have the same size wherever they stand: place them once, then fill in the places.
        func assemble(_ places: Places) -> (main: TIFFDirectoryBuilder, raw: TIFFDirectoryBuilder?) {
            var main = builder.main
            if let preview {
                var raw = builder.raw
                Self.describe(samples, &raw, at: places.samples)
                preview.describe(&main, at: places.preview)
                main.longs(.subIFDs, [places.raw])
                Self.link(builder, &main, places)
                return (main, raw)
            }
            main.merge(builder.raw)
            Self.describe(samples, &main, at: places.samples)
            Self.link(builder, &main, places)
            return (main, nil)
        }
        builder.finish()
        let (main, raw) = assemble(Places())
        var places = Places()
        var at = Self.headerSize + main.byteCount
        func place(_ size: Int?) -> Int {
            defer { at += size ?? 0 }
            return at
        }
        places.raw = place(raw?.byteCount)
        places.exif = place(builder.exif?.byteCount)
        places.gps = place(builder.gps?.byteCount)
        places.preview = place(preview.map { ($0.byteCount + 1) & ~1 })
        places.samples = at
        let total = samples.byteCounts.reduce(at) { $0 + ($1 + 1) & ~1 }
        guard total < 1 << 32 else {
            throw .argument("\(frame.name): a DNG of \(total >> 20) MiB cannot be written; 4096 MiB are the most")
        }
        let (placedMain, placedRaw) = assemble(places)
        var out: [UInt8] = bigEndian ? [0x4D, 0x4D, 0, 42, 0, 0, 0, 8] : [0x49, 0x49, 42, 0, 8, 0, 0, 0]
        out += placedMain.encoded(at: Self.headerSize)
        if let placedRaw { out += placedRaw.encoded(at: places.raw) }
        if let exif = builder.exif { out += exif.encoded(at: places.exif) }
        if let gps = builder.gps { out += gps.encoded(at: places.gps) }
        bytes = out
    }

    /// Where the parts of the file stand.
    private struct Places {
        var raw = 0
        var exif = 0
        var gps = 0
        var preview = 0
        var samples = 0
    }

    private static func link(_ builder: DNGDirectories, _ main: inout TIFFDirectoryBuilder, _ places: Places) {
        if builder.exif != nil { main.longs(.exifIFD, [places.exif]) }
        if builder.gps != nil { main.longs(.gpsIFD, [places.gps]) }
    }

    private static func describe(_ samples: DNGSamples, _ directory: inout TIFFDirectoryBuilder, at start: Int) {
        let (uncompressed, jpeg) = (1, 7)
        directory.shorts(.compression, [samples.isTiled ? jpeg : uncompressed])
        let offsets = samples.offsets(from: start)
        if samples.isTiled {
            directory.longs(.tileWidth, [samples.tileWidth])
            directory.longs(.tileLength, [samples.tileHeight])
            directory.longs(.tileOffsets, offsets)
            directory.longs(.tileByteCounts, samples.byteCounts)
        } else {
            directory.longs(.rowsPerStrip, [samples.tileHeight])
            directory.longs(.stripOffsets, offsets)
            directory.longs(.stripByteCounts, samples.byteCounts)
        }
    }
}
