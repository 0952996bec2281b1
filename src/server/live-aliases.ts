/** The aliases in force: shipped ones and the database's, which other processes and nodes edit too. */
import { type Audit, type AuditEvent, differences } from "../audit/audit-events.ts";
import type { Config } from "../config/config.ts";
import type { Database } from "../db/database.ts";
import { readEverySecond } from "../db/polling.ts";
import { type ChangeAlias, openAliasRows } from "../db/queries/alias-rows.ts";
import type { Log } from "../log/log.ts";
import { type AliasAdmin, openAliasAdmin } from "../models/alias-admin.ts";
import { type Alias, readAliases } from "../models/aliases.ts";
import type { Catalogue } from "../models/catalogue.ts";

/** What aliases may stand for on this machine. */
type Offered = { catalogue: Catalogue; encodesAac: boolean };

export const openAliases = (
  { models }: Config,
  { database, audit }: { database: Database; audit: Audit },
  { catalogue, encodesAac: aac }: Offered,
) => {
  const shipped = readAliases(models.folder);
  const store = openAliasRows(database, async (change, row) => {
    const before = row && (aliasOf(await openAliasRows(database).list(), row) ?? aliasOf(shipped, row));
    const after = row && (row.targets ? (row as Alias) : aliasOf(shipped, row)); // deleted: as shipped again
    return audit.ifChanged(change, [], [eventOf(row, { before, after })]);
  });
  return openAliasAdmin({ store, shipped, catalogue, aac });
};

type Row = Parameters<ChangeAlias>[1];

const aliasOf = (aliases: readonly Alias[], { kind, name }: NonNullable<Row>): Alias | null =>
  aliases.find((each) => each.kind === kind && each.name === name) ?? null;

/** An alias without targets is one that is switched off, or none any more. */
function eventOf(row: Row, { before, after }: { before: Alias | null; after: Alias | null }): AuditEvent {
  const told = (alias: Alias | null) => ({
    kind: row?.kind ?? null,
    targets: alias && alias.targets.length > 0 ? alias.targets.join(", ") : null,
    response_format: alias?.format ?? null,
  });
  return {
    ...{ type: "alias.updated", organizationId: null, resourceId: row?.name ?? null },
    changes: row === null ? [] : differences({ ...told(before), kind: before && row.kind }, told(after)),
  };
}

/** Those that were read last stay in force while the database does not answer. */
export const refreshAliases = (aliases: AliasAdmin, log: Log): AsyncDisposable =>
  readEverySecond(aliases.refresh, (cause) => log.warn("aliases_unavailable", { cause }));
