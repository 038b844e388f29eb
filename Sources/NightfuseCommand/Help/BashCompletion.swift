/// Completion for bash, from the same tables as the help. Needs nothing but bash (no bash-completion package).
package enum BashCompletion {
    package static var script: String {
        let verbs = VerbName.shown.map(\.rawValue).joined(separator: " ")
        var lines = [
            "# Completion of nightfuse for bash: source this file, or put it where bash-completion looks.",
            "_nightfuse() {",
            "    local current=\"${COMP_WORDS[COMP_CWORD]}\" previous=\"${COMP_WORDS[COMP_CWORD-1]}\" verb=\"${COMP_WORDS[1]}\"",
            "    COMPREPLY=()",
            "    if [ \"$COMP_CWORD\" -eq 1 ]; then",
            "        COMPREPLY=($(compgen -W \"\(verbs) --help --version\" -- \"$current\"))",
            "        return",
            "    fi",
            "    case \"$previous\" in",
        ]
        for flag in Flag.table where flag.takesValue {
            let names = [flag.short, flag.name].filter { !$0.isEmpty }.joined(separator: "|")
            lines.append("        \(names)) \(reply(flag)); return ;;")
        }
        lines += ["    esac", "    local flags=", "    case \"$verb\" in"]
        for verb in HelpText.shownVerbs {
            if verb.name == .help {
                lines.append("        help) COMPREPLY=($(compgen -W \"\(verbs)\" -- \"$current\")); return ;;")
            } else {
                let flags = verb.flags.flatMap { [$0.short, $0.name] }.filter { !$0.isEmpty }.joined(separator: " ")
                lines.append("        \(verb.name)) flags=\"\(flags)\" ;;")
            }
        }
        lines += [
            "    esac",
            "    if [[ \"$current\" == -* ]]; then",
            "        COMPREPLY=($(compgen -W \"$flags\" -- \"$current\"))",
            "    else",
            "        COMPREPLY=($(compgen -f -- \"$current\"))",
            "    fi",
            "}",
            "complete -o filenames -F _nightfuse nightfuse",
        ]
        return lines.joined(separator: "\n") + "\n"
    }

    private static func reply(_ flag: Flag) -> String {
        let words: String
        switch flag.value {
        case .choice(let choices), .choiceOrInteger(let choices, _): words = "-W \"\(choices.joined(separator: " "))\""
        case .folder: words = "-d"
        case .file, .output: words = "-f"
        case .toggle, .number, .integer, .size: return "COMPREPLY=()"
        }
        return "COMPREPLY=($(compgen \(words) -- \"$current\"))"
    }
}
