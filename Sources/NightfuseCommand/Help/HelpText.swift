/// Help as people read it, 80 columns at most.
package enum HelpText {
    static let columns = 80
    static let about = "nightfuse makes night photographs from bursts of dark ones."

    /// `nightfuse help`.
    package static var overview: String {
        var lines = [about, "", "USAGE", "  nightfuse VERB ...", "", "VERBS"]
        for verb in shownVerbs {
            lines += entry("\(verb.name) \(verb.operands)", verb.summary, column: 34)
        }
        lines += ["", "EXAMPLES"]
        for example in shownVerbs.compactMap(\.examples.first).prefix(4) {
            lines += ["  \(example.purpose)", "    \(example.command)"]
        }
        lines += [
            "", "  nightfuse help VERB explains a verb and its flags.",
            "  nightfuse manual prints the manual page, nightfuse completion that for bash.",
            "  nightfuse --version prints the version.",
        ]
        return lines.joined(separator: "\n") + "\n"
    }

    /// `nightfuse help VERB`: examples first.
    package static func of(_ verb: Verb) -> String {
        var lines = ["nightfuse \(verb.name): \(verb.summary)"]
        if !verb.examples.isEmpty {
            lines += ["", "EXAMPLES"]
            for example in verb.examples { lines += ["  \(example.purpose)", "    \(example.command)"] }
        }
        lines += ["", "USAGE", "  " + usage(verb)]
        for paragraph in verb.paragraphs { lines += [""] + wrap(paragraph, to: columns - 2).map { "  " + $0 } }
        let own = verb.flags.filter { $0.verbs.count < VerbName.working.count }
        let common = verb.flags.filter { $0.verbs.count >= VerbName.working.count }
        for (title, flags) in [("FLAGS", own), ("COMMON FLAGS", common)] where !flags.isEmpty {
            lines += ["", title]
            for flag in flags { lines += entry(syntax(flag), flag.summary + flag.rangeAndDefault, column: 28) }
        }
        if VerbName.working.contains(verb.name) { lines += ["", "EXIT STATUS"] + exitStatus.map { "  " + $0 } }
        return lines.joined(separator: "\n") + "\n"
    }

    static let exitStatus = [
        "0    done", "1    it could not be done; standard error says why",
        "2    the command line is wrong", "130  interrupted",
    ]

    static var shownVerbs: [Verb] { VerbName.shown.compactMap(Verb.named) }

    static func usage(_ verb: Verb) -> String {
        let words = ["nightfuse", verb.name.rawValue, verb.operands, verb.flags.count > 1 ? "[FLAGS]" : ""]
        return words.filter { !$0.isEmpty }.joined(separator: " ")
    }

    /// "-o, --output OUT".
    static func syntax(_ flag: Flag) -> String {
        (flag.short.isEmpty ? "" : flag.short + ", ") + flag.name + (flag.takesValue ? " " + flag.valueSyntax : "")
    }

    /// A term and its explanation side by side, the explanation wrapped; on a line of its own where the term is long.
    private static func entry(_ term: String, _ text: String, column: Int) -> [String] {
        var lines = wrap(text, to: columns - column).map { String(repeating: " ", count: column) + $0 }
        if term.count + 4 <= column {
            let padding = String(repeating: " ", count: column - term.count - 2)
            lines[0] = "  " + term + padding + lines[0].dropFirst(column)
        } else {
            lines.insert("  " + term, at: 0)
        }
        return lines
    }

    /// Words in lines of at most `width` characters (a longer word stands alone); at least one line.
    static func wrap(_ text: String, to width: Int) -> [String] {
        var lines: [String] = []
        var line = ""
        for word in text.split(separator: " ") {
            if !line.isEmpty, line.count + 1 + word.count > width {
                lines.append(line)
                line = ""
            }
            line += (line.isEmpty ? "" : " ") + word
        }
        return lines + [line]
    }
}
