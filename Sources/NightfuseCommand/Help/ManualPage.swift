/// The manual page nightfuse(1), in roff, from the same tables as the help.
package enum ManualPage {
    package static func text(version: String) -> String {
        var lines = [".TH NIGHTFUSE 1 \"\" \"nightfuse \(version)\" \"User commands\""]
        lines += [".SH NAME", "nightfuse \\- make night photographs from bursts", ".SH SYNOPSIS"]
        for verb in HelpText.shownVerbs { lines += [".B nightfuse \(verb.name)", escape(verb.operands), ".br"] }
        lines += [".SH DESCRIPTION", escape(HelpText.about)]
        lines += [".SH EXAMPLES"]
        for example in HelpText.shownVerbs.flatMap(\.examples) {
            lines += [".TP", escape(example.purpose), ".B " + escape(example.command)]
        }
        for verb in HelpText.shownVerbs {
            lines += [".SH \(verb.name.rawValue.uppercased())", capitalised(escape(verb.summary)) + "."]
            for paragraph in verb.paragraphs { lines += [".PP", escape(paragraph)] }
        }
        lines += [".SH FLAGS"]
        for flag in Flag.table { lines += entry(flag) }
        lines += [".SH EXIT STATUS"]
        for line in HelpText.exitStatus {
            let parts = line.split(separator: " ", maxSplits: 1)
            lines += [".TP", ".B \(parts[0])", escape(parts[1].drop { $0 == " " })]
        }
        return lines.joined(separator: "\n") + "\n"
    }

    private static func entry(_ flag: Flag) -> [String] {
        let names = [flag.short, flag.name].filter { !$0.isEmpty }.map { "\\fB" + escape($0) + "\\fR" }
        let value = flag.takesValue ? " \\fI" + escape(flag.valueSyntax) + "\\fR" : ""
        let shown = flag.verbs.filter { VerbName.shown.contains($0) }.map(\.rawValue)
        let verbs = shown.count == VerbName.shown.count ? "every verb" : shown.joined(separator: ", ")
        return [
            ".TP", names.joined(separator: ", ") + value, escape(flag.paragraph),
            capitalised("for \(verbs)") + escape(flag.rangeAndDefault) + ".",
        ]
    }

    /// Nothing of a text may read as a roff request.
    private static func escape(_ text: some StringProtocol) -> String {
        var result = ""
        for character in text {
            switch character {
            case "\\": result += "\\e"
            case "-": result += "\\-"
            case "'": result += "\\(aq"
            default: result.append(character)
            }
        }
        return result.hasPrefix(".") ? "\\&" + result : result
    }

    private static func capitalised(_ text: String) -> String { text.prefix(1).uppercased() + text.dropFirst() }
}
