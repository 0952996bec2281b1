/** The patterns of `case` that bash and zsh share; both match `command:word`. */
import { type CommandNode, stepsOf } from "./tree.ts";

export const quoted = (text: string) => `"${text}"`;

/** Matches each word that leads from a command to one of its subcommands. */
export const stepPattern = (nodes: CommandNode[]): string => stepsOf(nodes).map(quoted).join(" | ");

/** A case for each option with a value; `offer` is the statement that offers its choices, or files where it has none. */
export const valueCases = (nodes: CommandNode[], offer: (choices: readonly string[]) => string): string =>
  nodes.flatMap((node) => casesOf(node, offer)).join("\n");

const casesOf = ({ path, options }: CommandNode, offer: (choices: readonly string[]) => string) =>
  options
    .filter(({ takesValue }) => takesValue)
    .map(({ names, choices }) => {
      const pattern = names.map((name) => quoted(`${path}:${name}`)).join(" | ");
      return `    ${pattern}) ${offer(choices)}; return ;;`;
    });
