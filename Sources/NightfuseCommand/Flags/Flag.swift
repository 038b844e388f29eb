/// What a flag takes, and what of it makes sense.
package enum FlagValue: Sendable {
    /// Nothing: the flag is there or not.
    case toggle
    /// One of these words.
    case choice([String])
    /// A finite number in the range, in `unit` (empty: none). A fraction such as 1/15 is read too.
    case number(ClosedRange<Double>, unit: String)
    /// A whole number in the range.
    case integer(ClosedRange<Int>)
    /// One of these words, or a whole number in the range.
    case choiceOrInteger([String], ClosedRange<Int>)
    /// Bytes, with K, M or G for powers of 1024.
    case size(ClosedRange<Int>)
    /// A file to read, ending as told (for completion).
    case file(endings: [String])
    /// A file to write.
    case output(endings: [String])
    /// A folder to write into.
    case folder
}

/// One flag of the command: the single source of parsing, checking, help, manual page and completion.
package struct Flag: Sendable {
    /// With its dashes: "--look".
    package let name: String
    /// With its dash, or empty: "-o".
    package let short: String
    package let value: FlagValue
    /// How the value is called in help: "EV"; empty where choices say it.
    package let placeholder: String
    /// The default as help says it; empty where there is none.
    package let standard: String
    /// One line, no full stop.
    package let summary: String
    /// The paragraph of the manual page.
    package let paragraph: String
    /// Which verbs take it.
    package let verbs: [VerbName]

    init(
        _ name: String, short: String = "", _ value: FlagValue, as placeholder: String = "", standard: String = "",
        _ summary: String, _ paragraph: String, verbs: [VerbName]
    ) {
        self.name = name
        self.short = short
        self.value = value
        self.placeholder = placeholder
        self.standard = standard
        self.summary = summary
        self.paragraph = paragraph
        self.verbs = verbs
    }

    package var takesValue: Bool { if case .toggle = value { false } else { true } }

    /// How the value is written in help: "EV", "night|natural|none"; empty for a toggle.
    package var valueSyntax: String {
        switch value {
        case .toggle: ""
        case .choice(let words): words.joined(separator: "|")
        case .choiceOrInteger(let words, _): words.joined(separator: "|") + "|" + placeholder
        default: placeholder
        }
    }

    /// What of the value makes sense, and its default, for the end of a help line: " (0 to 2, default: 1)".
    package var rangeAndDefault: String {
        let range: String =
            switch value {
            case .number(let range, let unit):
                plainNumber(range.lowerBound) + " to " + plainNumber(range.upperBound)
                    + (unit.isEmpty ? "" : " \(unit)")
            case .integer(let range): range.upperBound == .max ? "" : "\(range.lowerBound) to \(range.upperBound)"
            default: ""
            }
        let parts = [range, standard.isEmpty ? "" : "default: \(standard)"].filter { !$0.isEmpty }
        return parts.isEmpty ? "" : " (" + parts.joined(separator: ", ") + ")"
    }
}

/// A number as people write it: six digits at most, no exponent, no trailing ".0".
package func plainNumber(_ value: Double) -> String {
    if let whole = Int(exactly: value) { return String(whole) }
    let text = JSONValue.numberText(value)
    return text.contains("e") ? fixed(value, 8).trimmingZeros : text.trimmingZeros
}

extension String {
    fileprivate var trimmingZeros: String {
        guard contains(".") else { return self }
        var text = Substring(self)
        while text.hasSuffix("0") { text = text.dropLast() }
        return String(text.hasSuffix(".") ? text.dropLast() : text)
    }
}

/// A number with exactly `digits` (0 to 12) decimals, halves away from zero, a point whatever the locale.
/// Not finite, or 9e15 and above: "-".
package func fixed(_ value: Double, _ digits: Int) -> String {
    guard value.isFinite, abs(value) < 9e15 else { return "-" }
    var scale = 1.0
    for _ in 0..<digits { scale *= 10 }
    let scaled = (abs(value) * scale).rounded()
    guard scaled < 9e18 else { return "-" }
    let number = Int64(scaled)
    let sign = value < 0 && number != 0 ? "-" : ""
    if digits == 0 { return sign + String(number) }
    let whole = number / Int64(scale)
    let part = String(number % Int64(scale))
    return sign + "\(whole)." + String(repeating: "0", count: digits - part.count) + part
}
