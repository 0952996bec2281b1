/** `loquat unpack`: unpacks the libraries of an executable before they are used, for images that cannot be written later. */
import type { Command } from "@commander-js/extra-typings";
import { unpackAll } from "../../natives/addon.ts";
import { isPacked } from "../../resources.ts";
import { addDetails } from "../base/details.ts";
import { printLine, UsageError } from "../base/output.ts";

export function unpack(command: Command): void {
  command.action(() => {
    if (!isPacked) throw new UsageError("This is a checkout: only an executable has libraries to unpack.");
    for (const path of unpackAll()) printLine(path);
  });
  addDetails(
    command,
    `An executable unpacks a library when it first uses it, into LOQUAT_CACHE, and
replaces one that is damaged. After this command it needs no folder that can be
written, except for data and weights.`,
  );
}
