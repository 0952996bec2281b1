/** A completion script for bash: subcommands and chosen values by name, options after a dash, files elsewhere. */
import { quoted, stepPattern, valueCases } from "./shell-cases.ts";
import type { CommandNode } from "./tree.ts";

export const bashScript = (nodes: CommandNode[]): string => `\
# Completes loquat in bash. For every session: loquat completion bash > ~/.local/share/bash-completion/completions/loquat
_loquat() {
  local current=\${COMP_WORDS[COMP_CWORD]} previous=\${COMP_WORDS[COMP_CWORD-1]}
  local command= commands= options= i
  for ((i = 1; i < COMP_CWORD; i++)); do
    case "$command:\${COMP_WORDS[i]}" in
      ${stepPattern(nodes)})
        command="\${command:+$command }\${COMP_WORDS[i]}" ;;
    esac
  done
  case "$command:$previous" in
${valueCases(nodes, offered)}
  esac
  case "$command" in
${nodes.map(wordCase).join("\n")}
  esac
  if [[ $current == -* ]]; then
    COMPREPLY=($(compgen -W "$options" -- "$current"))
  else
    COMPREPLY=($(compgen -W "$commands" -- "$current"))
  fi
}
complete -o bashdefault -o default -F _loquat loquat
`;

/** Without a reply, bash completes files. */
const offered = (choices: readonly string[]) =>
  `COMPREPLY=($(compgen -W "${choices.join(" ")}" -- "$current"))`;

function wordCase(node: CommandNode): string {
  const words = [
    ...node.commands.map(({ name }) => name),
    ...node.arguments.flatMap(({ choices }) => choices),
  ];
  const options = node.options.flatMap(({ names }) => names);
  return `    ${quoted(node.path)}) commands="${words.join(" ")}" options="${options.join(" ")}" ;;`;
}
