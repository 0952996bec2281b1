/** What commands on the database share: opening it, the organization they are about, and the first API key. */
import { existsSync, mkdirSync, renameSync } from "node:fs";
import { join, resolve } from "node:path";
import type { FirstStart } from "../../accounts/organizations.ts";
import { actingAs, COMMAND_LINE } from "../../audit/actor.ts";
import { type Config, ConfigError, readConfig } from "../../config/config.ts";
import { copyLog } from "../../db/sqlite-log.ts";
import { replaceFile } from "../../natives/replace-file.ts";
import { hasDatabase, openStorage, type Storage } from "../../server/storage.ts";
import { UsageError } from "./output.ts";

/** The option of commands about one organization; see `organizationOf`. */
export const ORG_OPTION = ["--org <id>", "the organization (default: the first one)"] as const;

/** Opens the database for the length of `work`. A command run in the wrong directory must not create another one. */
export async function withStorage<T>(
  work: (storage: Storage) => Promise<T>,
  { create = false }: { create?: boolean } = {},
): Promise<T> {
  const config = readConfig();
  if (!create && !hasDatabase(config)) throw noDatabase(config);
  await using storage = await openStorage(config);
  return await actingAs(COMMAND_LINE, () => work(storage));
}

export const noDatabase = ({ data }: Config) =>
  new ConfigError(
    `LOQUAT_DATA: there is no database in ${resolve(data.folder)}. Run the command in the directory of the server, ` +
      'or set LOQUAT_DATA to its data directory. "loquat serve" creates one.',
  );

/** `replaced`: where the key of an earlier database is kept, which is missing or lost its content; null: there is none. */
export type KeptKey = { path: string; replaced: string | null };

/**
 * Writes the first key of a new installation to a file that only its owner can read. The database has it without its log
 * then: a young server whose log is lost would start again as an empty one.
 */
export function keepFirstKey({ key }: FirstStart, { data }: Config): KeptKey {
  const path = join(data.folder, "first-key");
  mkdirSync(data.folder, { recursive: true, mode: 0o700 });
  const replaced = existsSync(path) ? `${path}.replaced` : null;
  if (replaced) renameSync(path, replaced);
  replaceFile(path, `${key.secret}\n`, 0o600);
  if (data.url === null) copyLog(data.folder);
  return { path, replaced };
}

/** The organization with this id, or the first one. */
export async function organizationOf({ accounts }: Storage, named: string | undefined): Promise<string> {
  const id = named ?? (await accounts.firstOrganization());
  if (id === null) throw new UsageError("There is no organization yet. Start the server once.");
  if (!(await accounts.organization(id))) throw new UsageError(`There is no organization ${id}.`);
  return id;
}
