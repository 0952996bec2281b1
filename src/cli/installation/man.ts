/** `loquat man`: prints the manual page. */

import type { Command, CommandUnknownOpts } from "@commander-js/extra-typings";
import { version } from "../../../package.json";
import { type Row, summaryOf, VARIABLES } from "../../config/config.ts";
import { addDetails } from "../base/details.ts";
import { type CommandNode, commandNodes, type OptionNode } from "../completion/tree.ts";

/** `program` gives every command in full. */
export function man(command: Command, program: () => Promise<CommandUnknownOpts>): void {
  command.action(
    async () => void process.stdout.write(manPage(commandNodes(await program()), VARIABLES, version)),
  );
  addDetails(
    command,
    `To read it:
  loquat man | man -l -
For "man loquat":
  loquat man > ~/.local/share/man/man1/loquat.1`,
  );
}

/**
 * The manual page in the format of man(7), from the same tree of commands as the help and docs/command-line.md. It has no
 * date, so that one version always gives one page.
 *
 * `nodes`: every command, the program itself first. @internal
 */
export function manPage(
  nodes: readonly CommandNode[],
  variables: Record<string, Row>,
  version: string,
): string {
  const [program, ...commands] = nodes as [CommandNode, ...CommandNode[]];
  const lines = [
    `.TH LOQUAT 1 "" "Loquat ${escaped(version)}" "User Commands"`,
    ".nh", // names of variables stay whole
    ".SH NAME",
    `loquat \\- ${escaped(program.summary)}`,
    ".SH SYNOPSIS",
    `.B loquat\n.RI [ options ] " command " [ arguments ]`,
    ".SH OPTIONS",
    "Of every command:",
    ...program.options.flatMap(({ flags, summary }) => termOf(flags, summary)),
    ".SH COMMANDS",
    ...commands.filter(({ path }) => path !== "help").flatMap(sectionOf),
    ".SH ENVIRONMENT",
    ...Object.entries(variables).flatMap(([name, row]) => termOf(name, summaryOf(row))),
    ...(program.details === null ? [] : [".SH NOTES", ...verbatim(program.details)]),
  ];
  return `${lines.join("\n")}\n`;
}

/** A command with subcommands is named with its summary alone: they follow. */
function sectionOf({ path, summary, usage, details, commands, arguments: args, options }: CommandNode) {
  if (commands.length > 0) return [`.SS loquat ${escaped(path)}`, `${escaped(summary)}.`];
  return [
    `.SS ${escaped(usage)}`,
    `${escaped(summary)}.`,
    ...args.flatMap(({ name, summary }) => termOf(name, summary)),
    ...options.filter(isOwn).flatMap(({ flags, summary }) => termOf(flags, summary)),
    ...(details === null ? [] : [".PP", ...verbatim(details)]),
  ];
}

const COMMON = ["--help", "--version"];
const isOwn = ({ names }: OptionNode) => !names.some((name) => COMMON.includes(name));

const termOf = (term: string, text: string) => [".TP", `.B ${escaped(term)}`, escaped(text)];

const verbatim = (text: string) => [".nf", ...text.split("\n").map(escaped), ".fi"];

/** Hyphens that can be copied, and no line that begins with a request. */
const escaped = (text: string) =>
  text
    .replaceAll("\\", "\\e")
    .replaceAll("-", "\\-")
    .replace(/^(?=[.'])/, "\\&");
