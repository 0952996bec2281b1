/** A completion script for fish, with the summary of each command and option. */
import { type CommandNode, type OptionNode, stepsOf } from "./tree.ts";

export const fishScript = (nodes: CommandNode[]): string => `\
# Completes loquat in fish. For every session: loquat completion fish > ~/.config/fish/completions/loquat.fish
function __loquat_at
  set -l words (commandline -opc)
  set -e words[1]
  set -l command ''
  for word in $words
    switch "$command:$word"
      case ${stepsOf(nodes).map(literal).join(" ")}
        set command (string trim "$command $word")
    end
  end
  test "$command" = "$argv[1]"
end
${nodes.flatMap(linesOf).join("\n")}
`;

const literal = (text: string) => `'${text.replaceAll("\\", "\\\\").replaceAll("'", "\\'")}'`;

function linesOf({ path, commands, arguments: args, options }: CommandNode): string[] {
  const prefix = `complete -c loquat -n ${literal(`__loquat_at "${path}"`)}`;
  const choices = args.flatMap(({ choices, summary }) => choices.map((name) => ({ name, summary })));
  return [
    ...[...commands, ...choices].map(
      ({ name, summary }) => `${prefix} -f -a ${literal(name)} -d ${literal(summary)}`,
    ),
    ...options.map((option) => `${prefix} ${optionText(option)}`),
  ];
}

/** `-r`: a value follows, which may be a file; `-x`: one of the choices follows. */
function optionText({ names, summary, takesValue, choices }: OptionNode): string {
  const flags = names.map((name) => (name.startsWith("--") ? `-l ${name.slice(2)}` : `-s ${name.slice(1)}`));
  const value = choices.length > 0 ? [`-x -a ${literal(choices.join(" "))}`] : takesValue ? ["-r"] : [];
  return [...flags, ...value, `-d ${literal(summary)}`].join(" ");
}
