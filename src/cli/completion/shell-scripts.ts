/** Shells that completion is there for. */
export const SHELLS = ["bash", "zsh", "fish"] as const;

export type Shell = (typeof SHELLS)[number];

/** What a shell reads to complete `cutwater`: it asks the command itself, and completes files where that proposes nothing. */
export const SHELL_SCRIPTS: { readonly [S in Shell]: string } = {
  bash: `# For ~/.bashrc: eval "$(cutwater completion bash)"
_cutwater() {
  local line=\${COMP_LINE:0:COMP_POINT} words word
  read -ra words <<< "$line"
  [[ $line == *[[:space:]] ]] && words+=("")
  COMPREPLY=()
  while IFS=$'\\t' read -r word _; do
    # Bash takes = and : for ends of words, and replaces only what stands behind the last one.
    case \${words[-1]} in
      *[=:]*) [[ $COMP_WORDBREAKS == *=* ]] && word=\${word#"\${words[-1]%"\${words[-1]##*[=:]}"}"} ;;
    esac
    COMPREPLY+=("$word")
  done < <(cutwater __complete "\${words[@]:1}" 2>/dev/null)
  [[ \${COMPREPLY[0]-} == *= ]] && compopt -o nospace
}
complete -o default -o bashdefault -F _cutwater cutwater
`,
  zsh: `#compdef cutwater
# For ~/.zshrc, behind compinit: eval "$(cutwater completion zsh)"
_cutwater() {
  local line word brief
  local -a keys others
  while IFS=$'\\t' read -r word brief; do
    line="\${word//:/\\\\:}:$brief"
    if [[ $word == *= ]]; then keys+=("$line"); else others+=("$line"); fi
  done < <(cutwater __complete "\${(@)words[2,CURRENT]}" 2>/dev/null)
  if (( \${#keys} + \${#others} )); then
    (( \${#others} )) && _describe -V cutwater others
    (( \${#keys} )) && _describe -V setting keys -S ''
  else
    _files
  fi
}
compdef _cutwater cutwater
`,
  fish: `# For ~/.config/fish/completions/cutwater.fish: cutwater completion fish
function __cutwater_complete
  set -l words (commandline -opc) (commandline -ct)
  cutwater __complete $words[2..-1] 2>/dev/null
end
complete -c cutwater -a '(__cutwater_complete)'
`,
};
