/** `loquat licenses`: the licences of everything that an executable holds; of Loquat alone in a checkout. */
import { readFileSync } from "node:fs";
import type { Command } from "@commander-js/extra-typings";
import { isPacked, readAsset, resource } from "../../resources.ts";
import { printLine } from "../base/output.ts";

export function licenses(command: Command): void {
  command.action(() => {
    const text = isPacked ? readAsset("licenses.txt") : readFileSync(resource("LICENSE"));
    printLine(text.toString().trimEnd());
  });
}
