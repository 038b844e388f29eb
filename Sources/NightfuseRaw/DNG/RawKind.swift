internal import NightfuseCore

/// What kind of raw file or TIFF some bytes are, by their content: to say what to do with those that are no DNG.
enum RawKind: Equatable {
    case dng
    /// A camera maker's own raw format, by name.
    case maker(String)
    /// A TIFF picture that is no raw file.
    case tiff
    case bigTIFF

    /// Looks at the head of a file, and for TIFF at its directories; nil for anything else.
    static func of(_ bytes: FileBytes) -> RawKind? {
        if let maker = ofMagic(bytes) { return maker }
        guard bytes.count >= 8, bytes[0] == bytes[1], bytes[0] == UInt8(ascii: "I") || bytes[0] == UInt8(ascii: "M")
        else { return nil }
        let header = TIFFBytes(file: bytes, bigEndian: bytes[0] == UInt8(ascii: "M"), name: "")
        switch header.u16(2) {
        case 43: return .bigTIFF
        case 42: return ofTIFF(header, bytes)
        default: return nil
        }
    }

    /// What to tell whoever gave such a file.
    func refusal(_ name: String) -> NightfuseError {
        switch self {
        case .dng: .file(name, "a broken DNG file")
        case .maker(let format):
            .unsupported(
                name, "a \(format) raw file, which is not read; convert it to DNG (Adobe DNG Converter does that)")
        case .tiff: .unsupported(name, "a TIFF picture, which is not read; save it as PNG, or as DNG where it is raw")
        case .bigTIFF: .unsupported(name, "a BigTIFF file, which is not read; save it as an ordinary DNG below 4 GiB")
        }
    }

    /// A maker's format that gives itself away by its first bytes; nil for all others.
    static func ofMagic(_ bytes: FileBytes) -> RawKind? {
        let signs: [(at: Int, sign: String, name: String)] = [
            (0, "FUJIFILMCCD-RAW", "Fujifilm RAF"), (0, "FOVb", "Sigma X3F"), (0, "\0MRM", "Minolta MRW"),
            (0, "IIRO", "Olympus ORF"), (0, "IIRS", "Olympus ORF"), (0, "MMOR", "Olympus ORF"),
            (0, "IIU\0", "Panasonic RW2"), (6, "HEAPCCDR", "Canon CRW"), (4, "ftypcrx ", "Canon CR3"),
            (0, "ARRI", "ARRI"), (0, "NOKIARAW", "Nokia"),
        ]
        if bytes.count > 10, bytes[0] == UInt8(ascii: "I"), bytes[2] == 42, bytes[8] == UInt8(ascii: "C"),
            bytes[9] == UInt8(ascii: "R")
        {
            return .maker("Canon CR2")
        }
        let found = signs.first { sign in
            let text = Array(sign.sign.utf8)
            return bytes.count >= sign.at + text.count
                && bytes[sign.at..<sign.at + text.count].elementsEqual(text)
        }
        return found.map { .maker($0.name) }
    }

    private static func ofTIFF(_ header: TIFFBytes, _ bytes: FileBytes) -> RawKind {
        // A file too broken to list is judged by its first directory, and its reader says what is wrong with it.
        let images: [TIFFDirectory]
        do throws(NightfuseError) {
            images = try TIFFFile(bytes, name: "", limits: Limits()).images
        } catch {
            do throws(NightfuseError) { images = [try TIFFDirectory(header, at: header.u32(4))] } catch { return .tiff }
        }
        if images.contains(where: { $0.has(.dngVersion) }) { return .dng }
        guard images.contains(where: isMakerRaw) else { return .tiff }
        do throws(NightfuseError) {
            let make = try images.first?.string(.make)
            return .maker(make ?? "camera maker's")
        } catch { return .maker("camera maker's") }
    }

    /// Whether a directory of a file without DNGVersion holds sensor data: a colour filter array, or the compressions
    /// of Nikon, Sony, Pentax, Samsung and Kodak.
    private static func isMakerRaw(_ directory: TIFFDirectory) -> Bool {
        let compressions = [34713, 32767, 65535, 32770, 65000]
        do throws(NightfuseError) {
            let photometric = try directory.int(.photometricInterpretation, or: 0)
            let compression = try directory.int(.compression, or: 1)
            return photometric == RasterLayout.colourFilterArray || compressions.contains(compression)
        } catch { return false }
    }
}
