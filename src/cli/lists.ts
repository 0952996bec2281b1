/** `loquat models list` and `loquat voices list`: the catalogue as the API shows it. */
import { parseArgs } from "node:util";
import { buildCatalogue, type Catalogue } from "../catalog/catalogue.ts";
import { readManifests } from "../catalog/manifest.ts";
import { modelObject, voiceObject } from "../catalog/objects.ts";
import { readConfig } from "../config.ts";
import { installedFamilies } from "../engine/installed.ts";
import { printList, UsageError } from "./output.ts";

export async function models(args: string[]): Promise<void> {
  const json = listFlags("models", args);
  const rows = openCatalogue().entries.map((entry) => ({
    ...modelObject(entry),
    installed: entry.version !== null,
  }));
  printList(
    rows,
    ["id", "type", "status", "installed", "public_version", "capabilities", "supported_languages"],
    json,
  );
}

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
  const installed = installedFamilies();
  return buildCatalogue(readManifests(readConfig().models.folder), (family) => installed.has(family));
}
