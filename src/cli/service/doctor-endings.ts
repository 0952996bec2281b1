/** What `loquat doctor` finds of models whose servers switch them off on a day that is known. */
import { readConfig } from "../../config/config.ts";
import { openAliasRows } from "../../db/queries/alias-rows.ts";
import { mergeAliases, readAliases } from "../../models/aliases.ts";
import { hasDatabase, openStorage } from "../../server/storage.ts";
import { type EndingModel, endingModels } from "../../upstreams/shutdown-dates.ts";
import { knownUpstreams } from "../base/known-upstreams.ts";
import { note, printFinding } from "../base/output.ts";

export async function examineEndings(): Promise<EndingModel[]> {
  const upstreams = (await knownUpstreams()).list();
  const shipped = readAliases(readConfig().models.folder);
  return endingModels(upstreams, mergeAliases(shipped, await storedAliases()));
}

async function storedAliases() {
  const config = readConfig();
  if (!hasDatabase(config)) return [];
  try {
    await using storage = await openStorage(config);
    return await openAliasRows(storage.database).list();
  } catch (error) {
    note(`The names of the database are left out: ${(error as Error).message}`);
    return [];
  }
}

export function printEndings(endings: EndingModel[]): void {
  for (const { upstream, model, names, shutdownDate } of endings) {
    const leading = names.length === 0 ? "" : `\n           Names that lead to it: ${names.join(", ")}`;
    printFinding(`  ends     ${model} of ${upstream} on ${shutdownDate}${leading}`);
  }
}
