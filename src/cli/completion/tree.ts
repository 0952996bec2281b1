/** The tree of commands as plain data, for completion scripts and the documentation. */
import type { CommandUnknownOpts } from "@commander-js/extra-typings";
import { detailsOf } from "../base/details.ts";

export type OptionNode = {
  /** As typed, such as `-o` and `--output`. */
  names: string[];
  /** With the placeholder of the value, such as `-o, --output <file>`. */
  flags: string;
  summary: string;
  takesValue: boolean;
  /** The values to choose from; empty: any. */
  choices: readonly string[];
};

type ArgumentNode = { name: string; summary: string; choices: readonly string[] };

/** `path` is what is typed after `loquat`, empty for the program itself. */
export type CommandNode = {
  path: string;
  summary: string;
  usage: string;
  details: string | null;
  arguments: ArgumentNode[];
  options: OptionNode[];
  commands: { name: string; summary: string }[];
};

/** Every command, each before its own subcommands. */
export function commandNodes(command: CommandUnknownOpts, path = ""): CommandNode[] {
  const help = command.createHelp();
  const node: CommandNode = {
    path,
    summary: command.description(),
    usage: help.commandUsage(command),
    details: detailsOf(command),
    arguments: command.registeredArguments.map((argument) => ({
      name: argument.name(),
      summary: help.argumentDescription(argument),
      choices: argument.argChoices ?? [],
    })),
    options: help.visibleOptions(command).map((option) => ({
      names: [option.short, option.long].filter((name) => name !== undefined),
      flags: option.flags,
      summary: help.optionDescription(option),
      takesValue: option.required || option.optional,
      choices: option.argChoices ?? [],
    })),
    commands: help
      .visibleCommands(command)
      .map((each) => ({ name: each.name(), summary: each.description() })),
  };
  const below = command.commands.flatMap((each) => commandNodes(each, `${path} ${each.name()}`.trim()));
  return [node, ...below];
}

/** Pairs of a command and the word that leads to one of its subcommands, as `command:word`. */
export const stepsOf = (nodes: CommandNode[]): string[] =>
  nodes.flatMap(({ path, commands }) => commands.map(({ name }) => `${path}:${name}`));
