/** `loquat voices list`: the voices as the API shows them; and the catalogue that every list is of. */
import { parseArgs } from "node:util";
import { buildCatalogue, type Catalogue } from "../catalog/catalogue.ts";
import { readManifests } from "../catalog/manifest.ts";
import { voiceObject } from "../catalog/objects.ts";
import { type Config, readConfig } from "../config.ts";
import { installedFamilies } from "../engine/installed.ts";
import { openShelf, runnable } from "../shelf/shelf.ts";
import { printList, UsageError } from "./output.ts";

export async function voices(args: string[]): Promise<void> {
  const json = listFlags("voices", args);
  const rows = openCatalogue(readConfig().models).voices.map((voice) => ({
    ...voiceObject(voice),
    models: voice.models,
  }));
  printList(rows, ["id", "name", "locale", "gender", "models"], json);
}

function listFlags(command: string, args: string[]): boolean {
  const { values, positionals } = parseArgs({
    args,
    options: { json: { type: "boolean" } },
    allowPositionals: true,
  });
  if (positionals.join(" ") !== "list") throw new UsageError(`${command} takes one word: list.`);
  return values.json ?? false;
}

export function openCatalogue({ folder, weights }: Config["models"]): Catalogue {
  return buildCatalogue(readManifests(folder), runnable(openShelf(weights), installedFamilies()));
}
