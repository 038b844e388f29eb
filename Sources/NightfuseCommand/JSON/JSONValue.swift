/// A JSON document with its keys in order.
package indirect enum JSONValue: Equatable, Sendable {
    case null
    case bool(Bool)
    case number(Double)
    case integer(Int)
    case string(String)
    case array([JSONValue])
    case object([Member])

    package struct Member: Equatable, Sendable {
        package let key: String
        package let value: JSONValue
        package init(_ key: String, _ value: JSONValue) { (self.key, self.value) = (key, value) }
    }

    package static func object(_ members: KeyValuePairs<String, JSONValue>) -> JSONValue {
        .object(members.map { Member($0.key, $0.value) })
    }

    /// Null where there is nothing.
    package static func optional(_ number: Double?) -> JSONValue { number.map(JSONValue.number) ?? .null }
    package static func optional(_ text: String?) -> JSONValue { text.map(JSONValue.string) ?? .null }

    package subscript(_ key: String) -> JSONValue? {
        guard case .object(let members) = self else { return nil }
        return members.first { $0.key == key }?.value
    }

    package var double: Double? {
        switch self {
        case .number(let number): number
        case .integer(let number): Double(number)
        default: nil
        }
    }

    /// Its kind, in messages.
    var kind: String {
        switch self {
        case .null: "null"
        case .bool: "a truth value"
        case .number, .integer: "a number"
        case .string: "text"
        case .array: "a list"
        case .object: "an object"
        }
    }
}

extension JSONValue {
    /// The document as text, two spaces a level, short lists and objects (of no more than 100 characters) on one
    /// line; a newline at the end. Numbers keep six significant digits; what is not finite is null.
    package var document: String { text(indent: 0) + "\n" }

    private func text(indent: Int) -> String {
        let flat = flatText
        switch self {
        case .array(let values) where flat.count > 100:
            return block("[", values.map { $0.text(indent: indent + 2) }, "]", indent)
        case .object(let members) where flat.count > 100 || indent == 0:
            let lines = members.map { JSONValue.quote($0.key) + ": " + $0.value.text(indent: indent + 2) }
            return block("{", lines, "}", indent)
        default: return flat
        }
    }

    private func block(_ open: String, _ lines: [String], _ close: String, _ indent: Int) -> String {
        let inner = "\n" + String(repeating: " ", count: indent + 2)
        return open + inner + lines.joined(separator: "," + inner) + "\n" + String(repeating: " ", count: indent)
            + close
    }

    private var flatText: String {
        switch self {
        case .null: "null"
        case .bool(let value): value ? "true" : "false"
        case .number(let number): JSONValue.numberText(number)
        case .integer(let number): String(number)
        case .string(let text): JSONValue.quote(text)
        case .array(let values): "[" + values.map(\.flatText).joined(separator: ", ") + "]"
        case .object(let members):
            "{" + members.map { JSONValue.quote($0.key) + ": " + $0.value.flatText }.joined(separator: ", ") + "}"
        }
    }

    static func numberText(_ number: Double) -> String {
        guard number.isFinite else { return "null" }
        if number == 0 { return "0.0" }
        // Six significant digits: more than any measurement here means, and no 0.30000000000000004.
        var scale = 1.0
        var magnitude = abs(number)
        while magnitude < 100_000, scale < 1e30 { (magnitude, scale) = (magnitude * 10, scale * 10) }
        guard magnitude < 1e15 else { return "\(number)" }
        let rounded = (number * scale).rounded() / scale
        // What is too small for that is nothing, and nothing has no sign.
        return rounded == 0 ? "0.0" : "\(rounded)"
    }

    private static func quote(_ text: String) -> String {
        var result = "\""
        for scalar in text.unicodeScalars {
            switch scalar {
            case "\"": result += "\\\""
            case "\\": result += "\\\\"
            case "\n": result += "\\n"
            case "\r": result += "\\r"
            case "\t": result += "\\t"
            case _ where scalar.value < 32 || scalar.value == 127:
                let hex = String(scalar.value, radix: 16)
                result += "\\u" + String(repeating: "0", count: 4 - hex.count) + hex
            default: result.unicodeScalars.append(scalar)
            }
        }
        return result + "\""
    }
}
