/** What the commands about money and accounts share: whose it is, amounts as people write them, and the first key. */
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import type { FirstStart } from "../accounts/organizations.ts";
import { systemClock, unixSeconds } from "../clock.ts";
import { type Config, readConfig } from "../config.ts";
import { openStorage, type Storage } from "../server/storage.ts";
import { UsageError } from "./output.ts";

/** Runs a command on the books, which are closed after it. */
export async function withStorage<T>(work: (storage: Storage) => Promise<T>): Promise<T> {
  await using storage = await openStorage(readConfig());
  return await work(storage);
}

/** Keeps the key of a fresh installation where only its owner reads it; the line that shows it, once. */
export function keepFirstKey({ key }: FirstStart, { data }: Config): string {
  const path = join(data.folder, "first-key");
  writeFileSync(path, `${key.secret}\n`, { mode: 0o600 });
  return `Your first API key, also in ${path}: ${key.secret}`;
}

/** The organization named, or the first one. */
export async function organizationOf({ accounts }: Storage, named: string | undefined): Promise<string> {
  const id = named ?? (await accounts.firstOrganization());
  if (id === null) throw new UsageError("There is no organization yet. Start the server once.");
  if (!(await accounts.organization(id))) throw new UsageError(`There is no organization ${id}.`);
  return id;
}

/** US dollars as text to micros; at most six decimals. */
export function readDollars(name: string, text: string): number {
  const micros = Math.round(Number(text) * 1e6);
  if (!/^\d+(\.\d{1,6})?$/.test(text) || !Number.isSafeInteger(micros)) {
    throw new UsageError(`${name} is an amount in US dollars, as 5 or 2.50, not ${text}.`);
  }
  return micros;
}

export const dollars = (micros: number): string => `$${(micros / 1e6).toFixed(6).replace(/0{1,4}$/, "")}`;

const DAY = 86_400;

/** When something made now ends, in Unix seconds; null where no `--days` were given. */
export function readExpiry(days: string | undefined): number | null {
  return days === undefined ? null : unixSeconds(systemClock) + readWhole("--days", days) * DAY;
}

export function readWhole(name: string, text: string): number {
  const value = Number(text);
  if (!/^\d+$/.test(text) || !Number.isSafeInteger(value))
    throw new UsageError(`${name} is a whole number, not ${text}.`);
  return value;
}
