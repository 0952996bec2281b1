/** `loquat voices list`: the voices that are installed, as the API lists them. */
import type { Command } from "@commander-js/extra-typings";
import { voiceObject } from "../../models/objects.ts";
import { JSON_OPTION, printList } from "../base/output.ts";
import { openCatalogue } from "../models/packages.ts";

const COLUMNS = ["id", "name", "locale", "gender", "models"] as const;

export function voices(command: Command): void {
  command
    .command("list")
    .description("List the installed voices and the models that have them")
    .option(...JSON_OPTION)
    .action(({ json }) => {
      const rows = openCatalogue().voices.map((voice) => ({ ...voiceObject(voice), models: voice.models }));
      printList(rows, { columns: COLUMNS, json });
    });
}
