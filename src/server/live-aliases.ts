/** The aliases in force: shipped ones and the database's, which other processes and nodes edit too. */
import type { Config } from "../config/config.ts";
import type { Database } from "../db/database.ts";
import { readEverySecond } from "../db/polling.ts";
import { openAliasRows } from "../db/queries/alias-rows.ts";
import type { Log } from "../log/log.ts";
import { type AliasAdmin, openAliasAdmin } from "../models/alias-admin.ts";
import { readAliases } from "../models/aliases.ts";
import type { Catalogue } from "../models/catalogue.ts";

/** What aliases may stand for on this machine. */
type Offered = { catalogue: Catalogue; encodesAac: boolean };

export const openAliases = (
  { models }: Config,
  { database }: { database: Database },
  { catalogue, encodesAac: aac }: Offered,
) => openAliasAdmin({ store: openAliasRows(database), shipped: readAliases(models.folder), catalogue, aac });

/** Those that were read last stay in force while the database does not answer. */
export const refreshAliases = (aliases: AliasAdmin, log: Log): AsyncDisposable =>
  readEverySecond(aliases.refresh, (cause) => log.warn("aliases_unavailable", { cause }));
