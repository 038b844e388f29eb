internal import NightfuseCodecs
internal import NightfuseCore

extension Flag {
    /// The value that the bytes stand for, checked. `name` is the flag as it was written, for the message.
    func read(_ bytes: [UInt8], as name: String) throws(UsageError) -> Arguments.Value {
        let text = String(decoding: bytes, as: UTF8.self)
        switch value {
        case .toggle: return .on
        case .choice(let words):
            guard words.contains(text) else { throw wrong(text, name, "one of \(words.joined(separator: ", "))") }
            return .text(text)
        case .number(let range, let unit):
            let wanted =
                "a number from \(plainNumber(range.lowerBound)) to \(plainNumber(range.upperBound))"
                + (unit.isEmpty ? "" : " (\(unit))")
            guard let number = parseNumber(text), range.contains(number) else { throw wrong(text, name, wanted) }
            return .number(number)
        case .integer(let range):
            guard let number = parseInteger(text), range.contains(number) else {
                throw wrong(text, name, "a whole number from \(range.lowerBound) to \(range.upperBound)")
            }
            return .integer(number)
        case .choiceOrInteger(let words, let range):
            if words.contains(text) { return .text(text) }
            guard let number = parseInteger(text), range.contains(number) else {
                throw wrong(
                    text, name, "\(words.joined(separator: ", ")) or a whole number from \(range.lowerBound)")
            }
            return .integer(number)
        case .size(let range):
            guard let bytes = parseSize(text), range.contains(bytes) else {
                throw wrong(text, name, "a size such as 512M or 2G, at least \(range.lowerBound >> 20)M")
            }
            return .integer(bytes)
        case .file, .output, .folder:
            guard !bytes.isEmpty else { throw UsageError("\(name) needs a value: \(name) \(valueSyntax)") }
            return .path(FilePath(bytes: bytes))
        }
    }

    private func wrong(_ text: String, _ name: String, _ wanted: String) -> UsageError {
        let near: String
        if case .choice(let words) = value, let word = nearest(to: text, among: words) {
            near = "; did you mean \(word)?"
        } else {
            near = ""
        }
        return UsageError("\(name) \(quoted(text)): must be \(wanted)\(near)")
    }
}

/// A finite decimal number, or a fraction of two ("1/15"); nil for anything else.
package func parseNumber(_ text: String) -> Double? {
    let parts = text.split(separator: "/", omittingEmptySubsequences: false)
    guard parts.count <= 2 else { return nil }
    // `Double.init` would also take "nan", "inf" and hexadecimal.
    let digits = "0123456789.+-eE"
    var numbers: [Double] = []
    for part in parts {
        guard !part.isEmpty, part.allSatisfy({ digits.contains($0) }), let number = Double(part), number.isFinite else {
            return nil
        }
        numbers.append(number)
    }
    let result = numbers.count == 2 ? numbers[0] / numbers[1] : numbers[0]
    return result.isFinite ? result : nil
}

func parseInteger(_ text: String) -> Int? {
    guard text.utf8.allSatisfy({ $0 >= 48 && $0 <= 57 || $0 == 45 }) else { return nil }
    return Int(text)
}

/// Bytes: a number, with K, M or G (KB, KiB and so on) for powers of 1024, whatever their case; nil for anything else.
package func parseSize(_ text: String) -> Int? {
    var upper = text.uppercased()[...]
    for ending in ["IB", "B"] where upper.hasSuffix(ending) {
        upper = upper.dropLast(ending.count)
        break
    }
    var scale = 1.0
    if let letter = upper.last, let power = ["K", "M", "G", "T"].firstIndex(of: String(letter)) {
        scale = Double(1 << (10 * (power + 1)))
        upper = upper.dropLast()
    }
    guard !upper.contains("/"), let number = parseNumber(String(upper)) else { return nil }
    let bytes = number * scale
    // 2^62: far above any memory, safely below what an Int holds.
    return bytes >= 0 && bytes < 0x1p62 ? Int(bytes) : nil
}

/// Text of the user's in a message: in quotes, one line whatever it holds.
package func quoted(_ text: String) -> String { "'" + oneLine(text) + "'" }

/// Control characters replaced by escapes, so that a file's name cannot forge lines or move the cursor.
package func oneLine(_ text: String) -> String { NightfuseError.oneLine(text) }
