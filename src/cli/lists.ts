/** `loquat voices list`: the voices as the API shows them. */
import { parseArgs } from "node:util";
import { buildCatalogue, type Catalogue } from "../catalog/catalogue.ts";
import { readManifests } from "../catalog/manifest.ts";
import { voiceObject } from "../catalog/objects.ts";
import { readConfig } from "../config.ts";
import { installedFamilies } from "../engine/installed.ts";
import { openShelf } from "../shelf/shelf.ts";
import { printList, UsageError } from "./output.ts";

export async function voices(args: string[]): Promise<void> {
  const json = listFlags("voices", args);
  const rows = openCatalogue().voices.map((voice) => ({ ...voiceObject(voice), models: voice.models }));
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

function openCatalogue(): Catalogue {
  const { folder, weights } = readConfig().models;
  const embedded = installedFamilies();
  const shelf = openShelf(weights);
  return buildCatalogue(
    readManifests(folder),
    (engine) => embedded.has(engine) || shelf.installed(engine) !== null,
  );
}
