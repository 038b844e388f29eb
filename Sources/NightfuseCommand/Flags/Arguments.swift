/// The command line is wrong: exit status 2. One line.
package struct UsageError: Error, Equatable, Sendable {
    package let message: String
    init(_ message: String) { self.message = message }
}

/// A command line that parsed: verb, operands and the flags' values, each already checked against the table.
package struct Arguments: Sendable {
    package enum Value: Equatable, Sendable {
        case on
        case text(String)
        case number(Double)
        case integer(Int)
    }

    package let verb: VerbName
    package var operands: [String] = []
    /// By the flag's long name.
    package var values: [String: Value] = [:]

    package func has(_ flag: String) -> Bool { values[flag] != nil }

    package func text(_ flag: String) -> String? {
        if case .text(let text) = values[flag] { text } else { nil }
    }

    package func number(_ flag: String) -> Double? {
        if case .number(let number) = values[flag] { number } else { nil }
    }

    package func integer(_ flag: String) -> Int? {
        if case .integer(let number) = values[flag] { number } else { nil }
    }
}

extension Arguments {
    /// Reads the words after the verb. `--` ends flags; `--flag=value` and `--flag value` are the same; a flag given
    /// twice counts as it was given last.
    package init(_ verb: Verb, _ words: [String]) throws(UsageError) {
        self.verb = verb.name
        var rest = words[...]
        while let word = rest.popFirst() {
            if word == "--" {
                operands += rest
                break
            }
            guard word.hasPrefix("-"), word != "-" else {
                operands.append(word)
                continue
            }
            try readFlag(word, &rest, of: verb)
        }
        guard !has("--help") else { return }
        try checkOperands(verb)
    }

    private mutating func readFlag(_ word: String, _ rest: inout ArraySlice<String>, of verb: Verb) throws(UsageError) {
        let equals = word.hasPrefix("--") ? word.firstIndex(of: "=") : nil
        let name = String(equals.map { word[..<$0] } ?? word[...])
        guard let flag = verb.flags.first(where: { $0.name == name || ($0.short == name && !name.isEmpty) }) else {
            throw unknown(name, of: verb)
        }
        guard flag.takesValue else {
            guard equals == nil else { throw UsageError("\(flag.name) takes no value") }
            values[flag.name] = .on
            return
        }
        let text: String
        if let equals {
            text = String(word[word.index(after: equals)...])
        } else {
            guard let next = rest.first, !next.hasPrefix("--"), !verb.flags.contains(where: { $0.short == next }) else {
                throw UsageError("\(name) needs a value: \(name) \(flag.valueSyntax)")
            }
            rest.removeFirst()
            text = next
        }
        values[flag.name] = try flag.read(text, as: name)
    }

    private func unknown(_ name: String, of verb: Verb) -> UsageError {
        let names = verb.flags.flatMap { $0.short.isEmpty ? [$0.name] : [$0.name, $0.short] }
        if let near = nearest(to: name, among: names.filter { $0.count > 2 }) {
            return UsageError("\(verb.name) has no flag \(name); did you mean \(near)?")
        }
        let others = Flag.table.first { $0.name == name }?.verbs.map(\.rawValue) ?? []
        let owners = others.isEmpty ? "" : " (\(others.joined(separator: ", ")) has)"
        return UsageError("\(verb.name) has no flag \(name)\(owners); see nightfuse help \(verb.name)")
    }

    private func checkOperands(_ verb: Verb) throws(UsageError) {
        guard !verb.operandCount.contains(operands.count) else {
            if let empty = operands.firstIndex(of: "") { throw UsageError("argument \(empty + 1) is empty") }
            return
        }
        let usage = "nightfuse \(verb.name) \(verb.operands)"
        if operands.count < verb.operandCount.lowerBound {
            throw UsageError("\(verb.name) needs \(operands.isEmpty ? "" : "more: ")\(verb.operands), as in: \(usage)")
        }
        throw UsageError("\(verb.name) takes no \(quoted(operands[verb.operandCount.upperBound])); usage: \(usage)")
    }
}
