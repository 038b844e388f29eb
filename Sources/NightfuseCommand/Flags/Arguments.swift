package import NightfuseCodecs

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
        case path(FilePath)
        case number(Double)
        case integer(Int)
    }

    package let verb: VerbName
    /// Files and folders, or a verb's name; each with at least one byte.
    package var operands: [FilePath] = []
    /// By the flag's long name.
    package var values: [String: Value] = [:]

    package func has(_ flag: String) -> Bool { values[flag] != nil }

    package func text(_ flag: String) -> String? {
        if case .text(let text) = values[flag] { text } else { nil }
    }

    package func path(_ flag: String) -> FilePath? {
        if case .path(let path) = values[flag] { path } else { nil }
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
    /// Words are bytes: a file's name need not be UTF-8.
    package init(_ verb: Verb, _ words: [[UInt8]]) throws(UsageError) {
        self.verb = verb.name
        var rest = words[...]
        while let word = rest.popFirst() {
            if word == Array("--".utf8) {
                operands += rest.map(FilePath.init(bytes:))
                break
            }
            guard word.first == UInt8(ascii: "-"), word.count > 1 else {
                operands.append(FilePath(bytes: word))
                continue
            }
            try readFlag(word, &rest, of: verb)
        }
        guard !has("--help") else { return }
        try checkOperands(verb)
    }

    private mutating func readFlag(
        _ word: [UInt8], _ rest: inout ArraySlice<[UInt8]>, of verb: Verb
    ) throws(UsageError) {
        let equals = word.starts(with: "--".utf8) ? word.firstIndex(of: UInt8(ascii: "=")) : nil
        let name = String(decoding: word[..<(equals ?? word.count)], as: UTF8.self)
        guard let flag = verb.flags.first(where: { $0.name == name || $0.short == name }) else {
            throw unknown(name, of: verb)
        }
        guard flag.takesValue else {
            guard equals == nil else { throw UsageError("\(flag.name) takes no value") }
            values[flag.name] = .on
            return
        }
        let value: [UInt8]
        if let equals {
            value = Array(word[(equals + 1)...])
        } else {
            // A number may be negative; what reads as a flag is one, and the value was forgotten.
            guard let next = rest.first, !next.starts(with: "--".utf8), !isShort(next, of: verb) else {
                throw UsageError("\(name) needs a value: \(name) \(flag.valueSyntax)")
            }
            rest.removeFirst()
            value = next
        }
        values[flag.name] = try flag.read(value, as: name)
    }

    private func isShort(_ word: [UInt8], of verb: Verb) -> Bool {
        verb.flags.contains { !$0.short.isEmpty && word.elementsEqual($0.short.utf8) }
    }

    private func unknown(_ name: String, of verb: Verb) -> UsageError {
        let names = verb.flags.flatMap { $0.short.isEmpty ? [$0.name] : [$0.name, $0.short] }
        let shown = oneLine(name)
        if let near = nearest(to: name, among: names.filter { $0.count > 2 }) {
            return UsageError("\(verb.name) has no flag \(shown); did you mean \(near)?")
        }
        let others = Flag.table.first { $0.name == name }?.verbs.map(\.rawValue) ?? []
        let owners = others.isEmpty ? "" : " (\(others.joined(separator: ", ")) has)"
        return UsageError("\(verb.name) has no flag \(shown)\(owners); see nightfuse help \(verb.name)")
    }

    private func checkOperands(_ verb: Verb) throws(UsageError) {
        guard !verb.operandCount.contains(operands.count) else {
            if operands.contains(where: { $0.bytes.isEmpty }) { throw UsageError("a file's name is empty") }
            return
        }
        let usage = "nightfuse \(verb.name) \(verb.operands)"
        if operands.count < verb.operandCount.lowerBound {
            throw UsageError("\(verb.name) needs \(operands.isEmpty ? "" : "more: ")\(verb.operands), as in: \(usage)")
        }
        throw UsageError(
            "\(verb.name) takes no \(quoted("\(operands[verb.operandCount.upperBound])")); usage: \(usage)")
    }
}
