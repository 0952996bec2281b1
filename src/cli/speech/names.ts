/** The names of models and voices for commands that run without a server: ids and aliases. */
import type { Config } from "../../config/config.ts";
import { openUpstreamRows } from "../../db/queries/upstream-rows.ts";
import { type Alias, readAliases } from "../../models/aliases.ts";
import { type Catalogue, withNames } from "../../models/catalogue.ts";
import { openAliases } from "../../server/live-aliases.ts";
import { hasDatabase, openStorage } from "../../server/storage.ts";

/**
 * `encodesAac`: false for commands that write none. `use` puts the upstreams of the database in force; absent: the catalogue
 * has them.
 */
type NamesOptions = {
  config: Config;
  names: (string | undefined)[];
  encodesAac?: boolean;
  use?: (stored: readonly unknown[]) => unknown;
};

/**
 * The database has the operator's own aliases and upstreams: it is opened only for a name that the catalogue does not have.
 */
export async function withAliases(
  catalogue: Catalogue,
  { config, names, encodesAac = false, use = () => {} }: NamesOptions,
): Promise<Catalogue> {
  const isOwn = (name: string | undefined) =>
    name === undefined || catalogue.find(name) !== null || catalogue.voices.some(({ id }) => id === name);
  if (names.every(isOwn)) return catalogue;
  return withNames(catalogue, await aliasesOf(catalogue, { config, use }), encodesAac);
}

async function aliasesOf(
  catalogue: Catalogue,
  { config, use }: Required<Pick<NamesOptions, "config" | "use">>,
): Promise<readonly Alias[]> {
  if (!hasDatabase(config)) return readAliases(config.models.folder);
  await using storage = await openStorage(config);
  use(await openUpstreamRows(storage.database).list());
  return (await openAliases(config, storage, { catalogue, encodesAac: false })).current();
}
