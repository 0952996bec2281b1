/** A completion script for bash: subcommands and chosen values by name, options after a dash, files elsewhere. */
import { type CommandNode, stepsOf } from "./tree.ts";

export const bashScript = (nodes: CommandNode[]): string => `\
# Completes loquat in bash. For every session: loquat completion bash > ~/.local/share/bash-completion/completions/loquat
_loquat() {
  local current=\${COMP_WORDS[COMP_CWORD]} previous=\${COMP_WORDS[COMP_CWORD-1]}
  local command= commands= options= i
  for ((i = 1; i < COMP_CWORD; i++)); do
    case "$command:\${COMP_WORDS[i]}" in
      ${stepsOf(nodes).map(quoted).join(" | ")})
        command="\${command:+$command }\${COMP_WORDS[i]}" ;;
    esac
  done
  case "$command:$previous" in
${nodes.flatMap(valueCases).join("\n")}
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

const quoted = (text: string) => `"${text}"`;

/** After an option with a value: its choices, or files. */
const valueCases = ({ path, options }: CommandNode) =>
  options
    .filter(({ takesValue }) => takesValue)
    .map(({ names, choices }) => {
      const reply =
        choices.length > 0 ? `COMPREPLY=($(compgen -W "${choices.join(" ")}" -- "$current")); ` : "";
      return `    ${names.map((name) => quoted(`${path}:${name}`)).join(" | ")}) ${reply}return ;;`;
    });

function wordCase(node: CommandNode): string {
  const words = [
    ...node.commands.map(({ name }) => name),
    ...node.arguments.flatMap(({ choices }) => choices),
  ];
  const options = node.options.flatMap(({ names }) => names);
  return `    ${quoted(node.path)}) commands="${words.join(" ")}" options="${options.join(" ")}" ;;`;
}
