/// Where a text is not JSON: a line (from 1) and what was wrong.
package struct JSONError: Error, Equatable, Sendable {
    package let line: Int
    package let reason: String

    package init(line: Int, reason: String) { (self.line, self.reason) = (line, reason) }
}

/// Reads JSON (RFC 8259) from bytes. Nesting is bounded (64 levels), a key may stand once in an object, and nothing
/// may follow the document. Time and memory grow with the text, nothing else.
package struct JSONParser {
    private static let deepest = 64
    private let bytes: [UInt8]
    private var at = 0

    package static func parse(_ bytes: [UInt8]) throws(JSONError) -> JSONValue {
        var parser = JSONParser(bytes: bytes)
        // A byte order mark is no JSON, but editors write it.
        if bytes.starts(with: [0xEF, 0xBB, 0xBF]) { parser.at = 3 }
        let value = try parser.value(depth: 0)
        parser.skipSpace()
        guard parser.at == bytes.count else { throw parser.wrong("something follows the document") }
        return value
    }

    private init(bytes: [UInt8]) { self.bytes = bytes }

    private func wrong(_ reason: String) -> JSONError {
        JSONError(line: 1 + bytes[..<min(at, bytes.count)].count { $0 == 10 }, reason: reason)
    }

    private var byte: UInt8? { at < bytes.count ? bytes[at] : nil }

    private mutating func skipSpace() {
        while let byte, byte == 32 || byte == 10 || byte == 13 || byte == 9 { at += 1 }
    }

    private mutating func take(_ character: Unicode.Scalar) -> Bool {
        guard byte == UInt8(ascii: character) else { return false }
        at += 1
        return true
    }

    private mutating func value(depth: Int) throws(JSONError) -> JSONValue {
        guard depth < JSONParser.deepest else { throw wrong("more than \(JSONParser.deepest) levels deep") }
        skipSpace()
        switch byte {
        case nil: throw wrong("the text ends too early")
        case UInt8(ascii: "{"): return try object(depth)
        case UInt8(ascii: "["): return try array(depth)
        case UInt8(ascii: "\""): return .string(try string())
        case UInt8(ascii: "t"): return try word("true", .bool(true))
        case UInt8(ascii: "f"): return try word("false", .bool(false))
        case UInt8(ascii: "n"): return try word("null", .null)
        default: return try number()
        }
    }

    private mutating func word(_ word: String, _ value: JSONValue) throws(JSONError) -> JSONValue {
        guard bytes[at...].starts(with: word.utf8) else { throw wrong("a value was expected") }
        at += word.utf8.count
        return value
    }

    private mutating func object(_ depth: Int) throws(JSONError) -> JSONValue {
        at += 1
        var members: [JSONValue.Member] = []
        var keys: Set<String> = []
        skipSpace()
        if take("}") { return .object(members) }
        while true {
            skipSpace()
            guard byte == UInt8(ascii: "\"") else { throw wrong("a key in quotes was expected") }
            let key = try string()
            guard keys.insert(key).inserted else { throw wrong("\(quoted(key)) stands twice") }
            skipSpace()
            guard take(":") else { throw wrong("a colon was expected after \(quoted(key))") }
            members.append(.init(key, try value(depth: depth + 1)))
            skipSpace()
            if take("}") { return .object(members) }
            guard take(",") else { throw wrong("a comma or a closing brace was expected") }
        }
    }

    private mutating func array(_ depth: Int) throws(JSONError) -> JSONValue {
        at += 1
        var values: [JSONValue] = []
        skipSpace()
        if take("]") { return .array(values) }
        while true {
            values.append(try value(depth: depth + 1))
            skipSpace()
            if take("]") { return .array(values) }
            guard take(",") else { throw wrong("a comma or a closing bracket was expected") }
        }
    }

    private mutating func number() throws(JSONError) -> JSONValue {
        let start = at
        func isDigit(_ byte: UInt8?) -> Bool { byte.map { $0 >= 48 && $0 <= 57 } ?? false }
        func digits(_ parser: inout JSONParser) -> Int {
            let first = parser.at
            while isDigit(parser.byte) { parser.at += 1 }
            return parser.at - first
        }
        _ = take("-")
        let leadingZero = byte == 48
        let whole = digits(&self)
        guard whole > 0, !(leadingZero && whole > 1) else { throw wrong("a value was expected") }
        if take("."), digits(&self) == 0 { throw wrong("digits were expected after the point") }
        if take("e") || take("E") {
            if !take("-") { _ = take("+") }
            guard digits(&self) > 0 else { throw wrong("digits were expected in the exponent") }
        }
        let text = String(decoding: bytes[start..<at], as: UTF8.self)
        if let integer = Int(text) { return .integer(integer) }
        guard let number = Double(text), number.isFinite else { throw wrong("the number \(text) is too large") }
        return .number(number)
    }

    private mutating func string() throws(JSONError) -> String {
        at += 1
        var text: [UInt8] = []
        while let byte {
            at += 1
            switch byte {
            case UInt8(ascii: "\""):
                guard let text = String(validating: text, as: UTF8.self) else { throw wrong("text is not UTF-8") }
                return text
            case UInt8(ascii: "\\"): text += Array(String(try escape()).utf8)
            case 0..<32: throw wrong("a control character stands in text")
            default: text.append(byte)
            }
        }
        throw wrong("text has no closing quote")
    }

    private mutating func escape() throws(JSONError) -> Character {
        guard let byte else { throw wrong("text has no closing quote") }
        at += 1
        switch byte {
        case UInt8(ascii: "\""): return "\""
        case UInt8(ascii: "\\"): return "\\"
        case UInt8(ascii: "/"): return "/"
        case UInt8(ascii: "b"): return "\u{8}"
        case UInt8(ascii: "f"): return "\u{C}"
        case UInt8(ascii: "n"): return "\n"
        case UInt8(ascii: "r"): return "\r"
        case UInt8(ascii: "t"): return "\t"
        case UInt8(ascii: "u"): break
        default: throw wrong("an unknown escape stands in text")
        }
        let first = try hex()
        if let scalar = Unicode.Scalar(first) { return Character(scalar) }
        guard (0xD800..<0xDC00).contains(first), take("\\"), take("u") else { throw wrong("half a surrogate pair") }
        let second = try hex()
        guard (0xDC00..<0xE000).contains(second),
            let scalar = Unicode.Scalar(0x10000 + (first - 0xD800) << 10 + (second - 0xDC00))
        else { throw wrong("half a surrogate pair") }
        return Character(scalar)
    }

    private mutating func hex() throws(JSONError) -> UInt32 {
        guard at + 4 <= bytes.count, bytes[at..<at + 4].allSatisfy({ Unicode.Scalar($0).properties.isASCIIHexDigit }),
            let value = UInt32(String(decoding: bytes[at..<at + 4], as: UTF8.self), radix: 16)
        else { throw wrong("four hexadecimal digits were expected") }
        at += 4
        return value
    }
}
