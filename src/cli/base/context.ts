/** What commands on the database share: opening it, the organization they are about, and the first API key. */
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import type { FirstStart } from "../../accounts/organizations.ts";
import { type Config, readConfig } from "../../config.ts";
import { openStorage, type Storage } from "../../server/storage.ts";
import { UsageError } from "./output.ts";

/** The option of commands about one organization; see `organizationOf`. */
export const ORG_OPTION = ["--org <id>", "the organization (default: the first one)"] as const;

/** Opens the database for the length of `work`. */
export async function withStorage<T>(work: (storage: Storage) => Promise<T>): Promise<T> {
  await using storage = await openStorage(readConfig());
  return await work(storage);
}

/** Writes the first key of a new installation to a file that only its owner can read; returns the line that shows it. */
export function keepFirstKey({ key }: FirstStart, { data }: Config): string {
  const path = join(data.folder, "first-key");
  writeFileSync(path, `${key.secret}\n`, { mode: 0o600 });
  return `Your first API key, also stored in ${path}: ${key.secret}`;
}

/** The organization with this id, or the first one. */
export async function organizationOf({ accounts }: Storage, named: string | undefined): Promise<string> {
  const id = named ?? (await accounts.firstOrganization());
  if (id === null) throw new UsageError("There is no organization yet. Start the server once.");
  if (!(await accounts.organization(id))) throw new UsageError(`There is no organization ${id}.`);
  return id;
}
