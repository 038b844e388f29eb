/// The verbs of the command.
package enum VerbName: String, CaseIterable, Sendable {
    case fuse, plan, brighten, inspect, compare, doctor, help
    /// Print what the installer puts in place; not shown in help.
    case manual, completion

    /// The verbs shown to people.
    static let shown: [VerbName] = [.fuse, .plan, .brighten, .inspect, .compare, .doctor, .help]
    /// The verbs that work on pictures, and so take the common flags.
    static let working: [VerbName] = [.fuse, .plan, .brighten, .inspect, .compare]
}

/// A verb as help tells it.
package struct Verb: Sendable {
    package struct Example: Sendable {
        /// What it does, a short phrase.
        package let purpose: String
        package let command: String
        init(_ purpose: String, _ command: String) { (self.purpose, self.command) = (purpose, command) }
    }

    package let name: VerbName
    /// What follows the verb: "FRAME|FOLDER... -o OUT".
    package let operands: String
    /// Fewest and most operands that are not flags.
    package let operandCount: ClosedRange<Int>
    /// One line, no full stop.
    package let summary: String
    package let paragraphs: [String]
    package let examples: [Example]

    /// The flags it takes, in the table's order.
    package var flags: [Flag] { Flag.table.filter { $0.verbs.contains(name) } }
}
