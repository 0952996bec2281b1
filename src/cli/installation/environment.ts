/** `loquat environment`: the environment variables in short, as `loquat help environment` has them too. */
import type { Command } from "@commander-js/extra-typings";
import { SECRETS, summaryOf, VARIABLES } from "../../config/config.ts";
import { printLine } from "../base/output.ts";

const WIDTH = 80;

export function environment(command: Command): void {
  const list = variablesOf(command);
  command.addHelpText("after", `\n${list}`).action(() => printLine(list));
}

function variablesOf(command: Command): string {
  const help = command.createHelp();
  help.prepareContext({ helpWidth: WIDTH });
  const width = Math.max(...Object.keys(VARIABLES).map((name) => name.length));
  const items = Object.entries(VARIABLES).map(([name, row]) =>
    help.formatItem(name, width, summaryOf(row), help),
  );
  const fromFiles = `Add _FILE to name a file that contains the value: ${SECRETS.join(", ")}.`;
  return [...items, "", help.boxWrap(fromFiles, WIDTH)].join("\n");
}
