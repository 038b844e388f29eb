# Completion of nightfuse for bash: source this file, or put it where bash-completion looks.
_nightfuse() {
    local current="${COMP_WORDS[COMP_CWORD]}" previous="${COMP_WORDS[COMP_CWORD-1]}" verb="${COMP_WORDS[1]}"
    COMPREPLY=()
    if [ "$COMP_CWORD" -eq 1 ]; then
        COMPREPLY=($(compgen -W "fuse plan brighten inspect compare doctor help --help --version" -- "$current"))
        return
    fi
    case "$previous" in
        -o|--output) COMPREPLY=($(compgen -f -- "$current")); return ;;
        --look) COMPREPLY=($(compgen -W "night natural none" -- "$current")); return ;;
        --brightness) COMPREPLY=(); return ;;
        --amount) COMPREPLY=(); return ;;
        --strength) COMPREPLY=(); return ;;
        --reference) COMPREPLY=($(compgen -W "auto" -- "$current")); return ;;
        --quality-mode) COMPREPLY=($(compgen -W "fast best" -- "$current")); return ;;
        --bits) COMPREPLY=($(compgen -W "8 16" -- "$current")); return ;;
        --quality) COMPREPLY=(); return ;;
        --maps) COMPREPLY=($(compgen -d -- "$current")); return ;;
        --report) COMPREPLY=($(compgen -f -- "$current")); return ;;
        --device) COMPREPLY=($(compgen -f -- "$current")); return ;;
        --max-time) COMPREPLY=(); return ;;
        --steady) COMPREPLY=($(compgen -W "auto yes no" -- "$current")); return ;;
        --exposure) COMPREPLY=(); return ;;
        --iso) COMPREPLY=(); return ;;
        --fps) COMPREPLY=(); return ;;
        --threads) COMPREPLY=(); return ;;
        --max-memory) COMPREPLY=(); return ;;
    esac
    local flags=
    case "$verb" in
        fuse) flags="-o --output --look --brightness --strength --reference --quality-mode --bits --quality --strip-location --maps --report --json -q --quiet --threads --max-memory --strict --force -h --help" ;;
        plan) flags="--report --device --max-time --steady --exposure --iso --fps --json -q --quiet --threads --max-memory --strict --force -h --help" ;;
        brighten) flags="-o --output --amount --strength --bits --quality --strip-location --report --json -q --quiet --threads --max-memory --strict --force -h --help" ;;
        inspect) flags="--json -q --quiet --threads --max-memory --strict --force -h --help" ;;
        compare) flags="--json -q --quiet --threads --max-memory --strict --force -h --help" ;;
        doctor) flags="-h --help" ;;
        help) COMPREPLY=($(compgen -W "fuse plan brighten inspect compare doctor help" -- "$current")); return ;;
    esac
    if [[ "$current" == -* ]]; then
        COMPREPLY=($(compgen -W "$flags" -- "$current"))
    else
        COMPREPLY=($(compgen -f -- "$current"))
    fi
}
complete -o filenames -F _nightfuse nightfuse
