/** The aliases in force: shipped ones and the database's, which other processes and nodes edit too. */
import type { Config } from "../config.ts";
import { openAliasRows } from "../db/queries/alias-rows.ts";
import type { Log } from "../log.ts";
import { type AliasAdmin, openAliasAdmin } from "../models/alias-admin.ts";
import { readAliases } from "../models/aliases.ts";
import type { Catalogue } from "../models/catalogue.ts";
import type { Storage } from "./storage.ts";

const EVERY_MS = 1000;

/** What aliases may stand for on this machine. */
type Offered = { catalogue: Catalogue; encodesAac: boolean };

export const openAliases = (
  { models }: Config,
  { database }: Storage,
  { catalogue, encodesAac: aac }: Offered,
) => openAliasAdmin({ store: openAliasRows(database), shipped: readAliases(models.folder), catalogue, aac });

/** Reads the table once a second: it is small, and an edit elsewhere is noticed by every node. */
export function refreshAliases(aliases: AliasAdmin, log: Log): AsyncDisposable {
  let reading: Promise<void> | null = null;
  let isFailing = false;
  const read = async () => {
    try {
      await aliases.refresh();
      isFailing = false;
    } catch (cause) {
      if (!isFailing) log.warn("aliases_unavailable", { cause }); // those that were read last stay in force
      isFailing = true;
    }
  };
  const timer = setInterval(() => {
    reading ??= read().finally(() => {
      reading = null;
    });
  }, EVERY_MS);
  timer.unref();
  return {
    async [Symbol.asyncDispose]() {
      clearInterval(timer);
      await reading;
    },
  };
}
