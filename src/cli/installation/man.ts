/** `loquat man`: prints the manual page. */
import type { Command, CommandUnknownOpts } from "@commander-js/extra-typings";
import { version } from "../../../package.json";
import { VARIABLES } from "../../config/config.ts";
import { addDetails } from "../base/details.ts";
import { commandNodes } from "../completion/tree.ts";
import { manPage } from "./man-page.ts";

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
