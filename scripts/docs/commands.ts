/** The reference of commands in docs/command-line.md, from the commands themselves. */

import { type CommandNode, commandNodes } from "../../src/cli/completion/tree.ts";
import { wholeProgram } from "../../src/cli/program.ts";
import { withBlock } from "./blocks.ts";

const COMMON = ["--help", "--version", "--json"];

/** The page with the reference between its markers. */
export async function withCommands(page: string): Promise<string> {
  const nodes = commandNodes(await wholeProgram()).filter(({ path }) => path !== "" && path !== "help");
  const reference = nodes.map(sectionOf).join("\n\n");
  return withBlock(page, "commands", reference);
}

/** A command with subcommands is a heading for them. */
function sectionOf({ path, summary, usage, ...node }: CommandNode): string {
  const level = path.includes(" ") ? "####" : "###";
  if (node.commands.length > 0) return `${level} loquat ${path}\n\n${summary}.`;
  const options = node.options.filter(({ names }) => !names.some((name) => COMMON.includes(name)));
  const items = [
    ...node.arguments.map(({ name, summary }) => `- \`${name}\`: ${summary}`),
    ...options.map(({ flags, summary }) => `- \`${flags}\`: ${escaped(summary)}`),
  ];
  return [
    `${level} loquat ${path}`,
    `${summary}.`,
    `\`\`\`sh\n${usage}\n\`\`\``,
    ...(items.length > 0 ? [items.join("\n")] : []),
    ...(node.details === null ? [] : [`\`\`\`text\n${node.details}\n\`\`\``]),
  ].join("\n\n");
}

const escaped = (text: string) => text.replaceAll("<", "\\<");
