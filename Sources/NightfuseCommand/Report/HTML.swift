/// Bytes of a page as it grows.
///
/// Bytes and not text, because most of a report is pictures.
struct HTML {
    private(set) var bytes: [UInt8] = []

    mutating func add(_ markup: String) { bytes += markup.utf8 }

    /// A picture inside the page: `<img>` with its data.
    mutating func add(_ image: EmbeddedImage, alt: String, class name: String = "", lazy: Bool = false) {
        add("<img alt=\"\(escaped(alt))\" width=\"\(image.width)\" height=\"\(image.height)\"")
        if !name.isEmpty { add(" class=\"\(name)\"") }
        if lazy { add(" loading=\"lazy\"") }
        add(" src=\"data:\(image.type);base64,")
        bytes += base64(image.bytes)
        add("\">")
    }
}

/// A picture's file in a page.
package struct EmbeddedImage: Sendable {
    var bytes: [UInt8]
    /// "image/jpeg".
    var type: String
    var width: Int
    var height: Int
}

/// Text that may stand in an element or in a quoted attribute, on one line.
package func escaped(_ text: String) -> String {
    var result = ""
    for character in oneLine(text).unicodeScalars {
        switch character {
        case "&": result += "&amp;"
        case "<": result += "&lt;"
        case ">": result += "&gt;"
        case "\"": result += "&quot;"
        case "'": result += "&#39;"
        default: result.unicodeScalars.append(character)
        }
    }
    return result
}

/// Base 64 (RFC 4648), padded.
package func base64(_ bytes: [UInt8]) -> [UInt8] {
    let letters = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/".utf8)
    var result: [UInt8] = []
    result.reserveCapacity((bytes.count + 2) / 3 * 4)
    var at = 0
    while at < bytes.count {
        let count = min(3, bytes.count - at)
        var group = UInt32(bytes[at]) << 16
        if count > 1 { group |= UInt32(bytes[at + 1]) << 8 }
        if count > 2 { group |= UInt32(bytes[at + 2]) }
        result.append(letters[Int(group >> 18)])
        result.append(letters[Int(group >> 12 & 63)])
        result.append(count > 1 ? letters[Int(group >> 6 & 63)] : UInt8(ascii: "="))
        result.append(count > 2 ? letters[Int(group & 63)] : UInt8(ascii: "="))
        at += 3
    }
    return result
}
