/** The names of models and voices for commands that run without a server: ids and aliases. */
import type { Config } from "../../config.ts";
import { type Alias, readAliases } from "../../models/aliases.ts";
import { type Catalogue, withNames } from "../../models/catalogue.ts";
import { openAliases } from "../../server/definitions/live-aliases.ts";
import { hasDatabase, openStorage } from "../../server/storage.ts";

/** `encodesAac`: false for commands that write none. */
type NamesOptions = { config: Config; names: (string | undefined)[]; encodesAac?: boolean };

/** The database has the operator's own aliases: it is opened only for a name that the catalogue does not have. */
export async function withAliases(
  catalogue: Catalogue,
  { config, names, encodesAac = false }: NamesOptions,
): Promise<Catalogue> {
  const isOwn = (name: string | undefined) =>
    name === undefined || catalogue.find(name) !== null || catalogue.voices.some(({ id }) => id === name);
  if (names.every(isOwn)) return catalogue;
  return withNames(catalogue, await aliasesOf(config, catalogue), encodesAac);
}

async function aliasesOf(config: Config, catalogue: Catalogue): Promise<readonly Alias[]> {
  if (!hasDatabase(config)) return readAliases(config.models.folder);
  await using storage = await openStorage(config);
  return (await openAliases(config, storage, { catalogue, encodesAac: false })).current();
}
