import type { DefineVerb } from '../../verb.ts';

/** Defines `troupe completion`. */
export const define: DefineVerb = (command, { name, io }) => {
  command
    .description('Prints a script that completes verbs, options, ids and labels.')
    .addArgument(command.createArgument('<shell>', 'which one').choices(['bash', 'zsh', 'fish']))
    .addHelpText(
      'after',
      `
  bash   source <(${name} completion bash)      in ~/.bashrc
  zsh    ${name} completion zsh > "\${fpath[1]}/_troupe"
  fish   ${name} completion fish > ~/.config/fish/completions/troupe.fish`,
    )
    .action((shell) => void io.stdout.write(completionScripts[shell]));
};

/**
 * The scripts that shells source. Each asks `troupe __complete` for candidates, so that it knows the verbs and options of the installed
 * version, and the current processes.
 */
const completionScripts = {
  bash: `# bash completion for troupe: source <(troupe completion bash)
_troupe() {
  local answer also line IFS=$'\\n'
  COMPREPLY=()
  answer=$(troupe __complete -- "\${COMP_WORDS[@]:1:COMP_CWORD}" 2>/dev/null) || return
  also=\${answer##*:}
  while IFS= read -r line; do
    case $line in
      :*) ;;
      ?*) COMPREPLY+=("\${line%%$'\\t'*}") ;;
    esac
  done <<< "$answer"
  case $also in
    files) COMPREPLY+=($(compgen -f -- "\${COMP_WORDS[COMP_CWORD]}")); compopt -o filenames 2>/dev/null ;;
    commands) COMPREPLY+=($(compgen -c -- "\${COMP_WORDS[COMP_CWORD]}")) ;;
  esac
}
complete -F _troupe troupe
`,
  zsh: `#compdef troupe
# zsh completion for troupe: troupe completion zsh > "\${fpath[1]}/_troupe"
_troupe() {
  local -a answer candidates
  local line
  answer=("\${(@f)$(troupe __complete -- "\${(@)words[2,CURRENT]}" 2>/dev/null)}")
  for line in "\${answer[@]}"; do
    case $line in
      :*) ;;
      *$'\\t'*) candidates+=("\${\${line%%$'\\t'*}//:/\\\\:}:\${line#*$'\\t'}") ;;
      ?*) candidates+=("\${line//:/\\\\:}") ;;
    esac
  done
  (( \${#candidates} )) && _describe troupe candidates
  case \${answer[-1]} in
    :files) _files ;;
    :commands) _command_names -e ;;
  esac
}
if [ "\${funcstack[1]}" = "_troupe" ]; then
  _troupe "$@"
else
  compdef _troupe troupe
fi
`,
  fish: `# fish completion for troupe: troupe completion fish > ~/.config/fish/completions/troupe.fish
function __troupe_answer
  set -l words (commandline -opc) (commandline -ct)
  troupe __complete -- $words[2..-1] 2>/dev/null
end
function __troupe_candidates
  __troupe_answer | string match -v -- ':*'
end
function __troupe_also
  test (__troupe_answer)[-1] = ":$argv[1]"
end
complete -c troupe -f -a '(__troupe_candidates)'
complete -c troupe -n '__troupe_also files' -F
complete -c troupe -n '__troupe_also commands' -a '(__fish_complete_command)'
`,
} as const;
