/** What the help of a command says after its options: examples, exit codes. The generated documentation has it too. */
import type { CommandUnknownOpts } from "@commander-js/extra-typings";

const DETAILS = new WeakMap<object, string>();

export function addDetails(command: CommandUnknownOpts, text: string): void {
  DETAILS.set(command, text);
  command.addHelpText("after", `\n${text}`);
}

/** Null where there is nothing to add. */
export const detailsOf = (command: CommandUnknownOpts): string | null => DETAILS.get(command) ?? null;
