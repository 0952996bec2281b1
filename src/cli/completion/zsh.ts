/** A completion script for zsh, with the summary of each command and option. */
import { quoted, stepPattern, valueCases } from "./shell-cases.ts";
import type { CommandNode } from "./tree.ts";

export const zshScript = (nodes: CommandNode[]): string => `\
#compdef loquat
# Completes loquat in zsh. For every session, save it as _loquat in a folder of $fpath.
_loquat() {
  local command= word previous=\${words[CURRENT-1]}
  local -a commands options values
  for word in "\${(@)words[2,CURRENT-1]}"; do
    case "$command:$word" in
      ${stepPattern(nodes)})
        command="\${command:+$command }$word" ;;
    esac
  done
  case "$command:$previous" in
${valueCases(nodes, offered)}
  esac
  case "$command" in
${nodes.map(wordCase).join("\n")}
  esac
  if [[ \${words[CURRENT]} == -* ]]; then
    _describe -o option options
  elif (( \${#commands} )); then
    _describe command commands
  else
    _files
  fi
}
if [[ \${funcstack[1]} == _loquat ]]; then _loquat "$@"; else compdef _loquat loquat; fi
`;

/** In single quotes nothing is expanded. */
const literal = (text: string) => `'${text.replaceAll("'", "'\\''")}'`;
const described = (name: string, summary: string) => literal(`${name}:${summary}`);

const offered = (choices: readonly string[]) =>
  choices.length > 0 ? `values=(${choices.map(literal).join(" ")}); compadd -a values` : "_files";

function wordCase(node: CommandNode): string {
  const words = [
    ...node.commands.map(({ name, summary }) => described(name, summary)),
    ...node.arguments.flatMap(({ choices, summary }) => choices.map((choice) => described(choice, summary))),
  ];
  const options = node.options.flatMap(({ names, summary }) => names.map((name) => described(name, summary)));
  return `    ${quoted(node.path)})
      commands=(${words.join(" ")})
      options=(${options.join(" ")}) ;;`;
}
