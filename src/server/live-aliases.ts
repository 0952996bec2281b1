/** The aliases in force: shipped ones and the database's, which other processes and nodes edit too. */
import { type Audit, type AuditEvent, created } from "../audit/audit-events.ts";
import type { Config } from "../config/config.ts";
import type { Database } from "../db/database.ts";
import { readEverySecond } from "../db/polling.ts";
import { type ChangeAlias, openAliasRows } from "../db/queries/alias-rows.ts";
import type { Log } from "../log/log.ts";
import { type AliasAdmin, openAliasAdmin } from "../models/alias-admin.ts";
import { readAliases } from "../models/aliases.ts";
import type { Catalogue } from "../models/catalogue.ts";

/** What aliases may stand for on this machine. */
type Offered = { catalogue: Catalogue; encodesAac: boolean };

export const openAliases = (
  { models }: Config,
  { database, audit }: { database: Database; audit: Audit },
  { catalogue, encodesAac: aac }: Offered,
) => {
  const store = openAliasRows(database, (change, row) => audit.ifChanged(change, [], [eventOf(row)]));
  return openAliasAdmin({ store, shipped: readAliases(models.folder), catalogue, aac });
};

/** An alias without targets is one that is switched off or reset. */
const eventOf = (row: Parameters<ChangeAlias>[1]): AuditEvent => {
  const told = row && { kind: row.kind, targets: row.targets?.join(", "), response_format: row.format };
  return {
    ...{ type: "alias.updated", organizationId: null, resourceId: row?.name ?? null },
    changes: created(told ?? {}),
  };
};

/** Those that were read last stay in force while the database does not answer. */
export const refreshAliases = (aliases: AliasAdmin, log: Log): AsyncDisposable =>
  readEverySecond(aliases.refresh, (cause) => log.warn("aliases_unavailable", { cause }));
