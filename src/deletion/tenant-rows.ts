/**
 * What becomes of the rows of an organization that is deleted, table by table. The compiler asks for a table that is not named
 * here. What the law on accounts asks for is kept: amounts, times and ids.
 *
 * In this order, since a row that refers to another one goes before it. Where there may be many, a few are done at a
 * time, because a statement blocks other writes. Each may be done again.
 */
import { and, eq, inArray, isNotNull, ne, or, type SQL, sql } from "drizzle-orm";
import type { SQLiteColumn, SQLiteTable } from "drizzle-orm/sqlite-core";
import type { AuditType } from "../audit-types.ts";
import { NO_NOTICE, WITHOUT_CARD } from "../billing/billing-accounts.ts";
import type { Database, Tables } from "../db/database.ts";

/** Changes some rows of an organization, and returns one value for each; none are left when there is none. */
type Some = (database: Database, organizationId: string) => PromiseLike<unknown[]>;

type Treatment = { kept: string } | { deleted: Some } | { emptied: Some };

const AT_ONCE = 500;

/** `key`: of the rows that the condition names, what tells them apart. */
type Rows = { table: SQLiteTable; key: SQLiteColumn; where: SQL | undefined };

const deleteSome = ({ query }: Database, { table, key, where }: Rows) =>
  query
    .delete(table)
    .where(and(where, inArray(key, query.select({ key }).from(table).where(where).limit(AT_ONCE))))
    .returning({ key });

type Owned = SQLiteTable & { organizationId: SQLiteColumn };

/** Rows that name their organization. */
const deletedBy = <Table extends Owned>(
  tableOf: (tables: Tables) => Table,
  keyOf: (table: Table) => SQLiteColumn,
): { deleted: Some } => ({
  deleted(database, organizationId) {
    const table = tableOf(database.tables);
    const where = eq(table.organizationId, organizationId);
    return deleteSome(database, { table, key: keyOf(table), where });
  },
});

const deleted = (tableOf: (tables: Tables) => Owned & { id: SQLiteColumn }) =>
  deletedBy(tableOf, ({ id }) => id);

/** Rows that belong to a row that names the organization. */
const deletedBelow = (
  ownerOf: (tables: Tables) => Owned & { id: SQLiteColumn },
  rowsOf: (tables: Tables) => { table: SQLiteTable; key: SQLiteColumn; owner: SQLiteColumn },
): { deleted: Some } => ({
  deleted(database, organizationId) {
    const { table, key, owner } = rowsOf(database.tables);
    const owners = idsOf(database, ownerOf(database.tables), organizationId);
    return deleteSome(database, { table, key, where: inArray(owner, owners) });
  },
});

const idsOf = ({ query }: Database, table: Owned & { id: SQLiteColumn }, organizationId: string) =>
  query.select({ id: table.id }).from(table).where(eq(table.organizationId, organizationId));

/** @public held to the tables of both databases by a test */
export const TENANT_ROWS: Record<keyof Tables, Treatment> = {
  clientSecret: deletedBelow(
    ({ apiKey }) => apiKey,
    ({ clientSecret: table }) => ({ table, key: table.hash, owner: table.keyId }),
  ),
  apiKey: deleted(({ apiKey }) => apiKey),
  adminApiKey: deleted(({ adminApiKey }) => adminApiKey),
  serviceAccount: deletedBelow(
    ({ project }) => project,
    ({ serviceAccount: table }) => ({ table, key: table.id, owner: table.projectId }),
  ),
  webhookDelivery: { deleted: deleteDeliveries },
  webhookEndpoint: deleted(({ webhookEndpoint }) => webhookEndpoint),
  event: deleted(({ event }) => event),
  spendAlert: deleted(({ spendAlert }) => spendAlert),
  alertRecipient: deleted(({ alertRecipient }) => alertRecipient),
  spendAlertFiring: deletedBy(
    ({ spendAlertFiring }) => spendAlertFiring,
    ({ alertId }) => alertId,
  ),
  spendCount: deletedBy(
    ({ spendCount }) => spendCount,
    ({ subject }) => subject,
  ),
  pronunciation: deletedBy(
    ({ pronunciation }) => pronunciation,
    ({ key }) => key,
  ),
  voicePart: deletedBelow(
    ({ voice }) => voice,
    ({ voicePart: table }) => ({ table, key: table.voiceId, owner: table.voiceId }),
  ),
  voice: deleted(({ voice }) => voice),
  voiceConsent: deleted(({ voiceConsent }) => voiceConsent),
  /** What is kept of them goes with them; one that runs finds that it is gone. */
  job: deleted(({ job }) => job),
  jobPart: { kept: "deleted with their jobs" },
  batch: deleted(({ batch }) => batch),
  batchLine: { kept: "deleted with their batches" },
  file: deleted(({ file }) => file),
  upload: deleted(({ upload }) => upload),
  /** Its content is deleted because it is unused, and then the row. */
  filePart: {
    emptied({ query, tables: { filePart } }, organizationId) {
      const { id, state } = filePart;
      const isUsed = and(eq(filePart.organizationId, organizationId), ne(state, "unused"));
      const used = query.select({ id }).from(filePart).where(isUsed).limit(AT_ONCE);
      return query.update(filePart).set({ state: "unused" }).where(inArray(id, used)).returning({ id });
    },
  },
  invitation: deleted(({ invitation }) => invitation),
  member: deleted(({ member }) => member),
  session: {
    emptied({ query, tables: { session } }, organizationId) {
      const isIn = eq(session.activeOrganizationId, organizationId);
      return query
        .update(session)
        .set({ activeOrganizationId: null })
        .where(isIn)
        .returning({ id: session.id });
    },
  },
  requestLog: deleted(({ requestLog }) => requestLog),
  endUserDay: { deleted: deleteEndUserDays },
  replayableRequest: deleted(({ replayableRequest }) => replayableRequest),
  auditEvent: { emptied: emptyAuditEvents },
  billingAccount: { emptied: emptyBillingAccount },
  topUp: {
    emptied({ query, tables: { topUp } }, organizationId) {
      const hasPage = and(eq(topUp.organizationId, organizationId), isNotNull(topUp.checkoutUrl));
      return query.update(topUp).set({ checkoutUrl: null }).where(hasPage).returning({ id: topUp.id });
    },
  },
  project: { emptied: emptyProjects },
  organization: { kept: "its id and what it was paid under; its name is replaced when its deletion begins" },
  creditAccount: { kept: "accounts" },
  creditGrant: { kept: "accounts, and why operators gave and took credit" },
  creditReversal: { kept: "accounts" },
  usageEvent: { kept: "accounts" },
  usageTotal: { kept: "accounts" },
  budgetPeriod: { kept: "sums of charges, which are compared with them" },
  voucher: { kept: "accounts: which organization redeemed it" },
  stripeEvent: { kept: "ids of events of Stripe" },
  user: { kept: "people may belong to other organizations; they delete their accounts themselves" },
  credential: { kept: "of people" },
  twoFactor: { kept: "of people" },
  verification: { kept: "of people" },
  attempt: { kept: "counts by a hash, until their time is over" },
  mailOutbox: { kept: "encrypted, until its link has expired" },
  work: { kept: "what finds nothing of its organization ends; mail is encrypted, for some days" },
  installation: { kept: "of the server" },
  alias: { kept: "of the server" },
  price: { kept: "of the server" },
  upstream: { kept: "of the server" },
  conversation: { kept: "of the server" },
  node: { kept: "of the server" },
  nodeMinute: { kept: "of the server" },
  requestedPackage: { kept: "of the server" },
  webAsset: { kept: "of the server" },
};

/** Those to its endpoints, and then those of its events to endpoints of the server: each is found by an index. */
async function deleteDeliveries(database: Database, organizationId: string): Promise<unknown[]> {
  const { webhookDelivery: table, webhookEndpoint, event } = database.tables;
  const endpoints = idsOf(database, webhookEndpoint, organizationId);
  const events = idsOf(database, event, organizationId);
  const of = (where: SQL) => deleteSome(database, { table, key: table.id, where });
  const deleted = await of(inArray(table.endpointId, endpoints));
  return deleted.length > 0 ? deleted : await of(inArray(table.eventId, events));
}

/** A day at a time, which has many names at most. */
async function deleteEndUserDays(
  { query, tables: { endUserDay } }: Database,
  organizationId: string,
): Promise<unknown[]> {
  const { day } = endUserDay;
  const isOf = eq(endUserDay.organizationId, organizationId);
  const one = query.select({ day }).from(endUserDay).where(isOf).limit(1);
  return query
    .delete(endUserDay)
    .where(and(isOf, inArray(day, one)))
    .returning({ day });
}

/** Events whose resource is a word, or a card at Stripe, and not an id of this server. */
const NAMING: AuditType[] = ["pronunciation.updated", "billing.card.added", "billing.card.removed"];

/** Who did what stays, and when. */
function emptyAuditEvents({ query, tables: { auditEvent } }: Database, organizationId: string) {
  const { id, actorEmail, address, userAgent, changes } = auditEvent;
  const isOf = eq(auditEvent.organizationId, organizationId);
  const isFull = or(isNotNull(actorEmail), isNotNull(address), isNotNull(userAgent), ne(changes, "[]"));
  const full = query.select({ id }).from(auditEvent).where(and(isOf, isFull)).limit(AT_ONCE);
  const isNamed = inArray(auditEvent.type, NAMING);
  return query
    .update(auditEvent)
    .set({
      ...{ actorEmail: null, address: null, userAgent: null, changes: "[]" },
      resourceId: sql`case when ${isNamed} then null else ${auditEvent.resourceId} end`,
    })
    .where(inArray(id, full))
    .returning({ id });
}

/** The customer of Stripe stays, whose invoices must be found. */
function emptyBillingAccount({ query, tables: { billingAccount } }: Database, organizationId: string) {
  const { paymentMethodId, setupSessionId, cardLast4, noticeSentTo, rechargeEnabled } = billingAccount;
  const isFull = or(
    ...[isNotNull(paymentMethodId), isNotNull(setupSessionId), isNotNull(cardLast4)],
    ...[ne(noticeSentTo, ""), eq(rechargeEnabled, true)],
  );
  return query
    .update(billingAccount)
    .set({ ...WITHOUT_CARD, ...NO_NOTICE, setupSessionId: null })
    .where(and(eq(billingAccount.organizationId, organizationId), isFull))
    .returning({ id: billingAccount.organizationId });
}

/** Charges name projects by their ids. */
function emptyProjects({ query, tables: { project } }: Database, organizationId: string) {
  const { id, name, restrictions, defaultKeyRestrictions } = project;
  const isFull = or(ne(name, id), isNotNull(restrictions), isNotNull(defaultKeyRestrictions));
  return query
    .update(project)
    .set({ name: sql`${id}`, restrictions: null, defaultKeyRestrictions: null })
    .where(and(eq(project.organizationId, organizationId), isFull))
    .returning({ id });
}

/** Resolves when none of them is left as it was. */
export async function deleteTenantRows(
  database: Database,
  organizationId: string,
  signal: AbortSignal,
): Promise<void> {
  for (const treatment of Object.values(TENANT_ROWS)) {
    if ("kept" in treatment) continue;
    const some = "deleted" in treatment ? treatment.deleted : treatment.emptied;
    for (let left = true; left; left = (await some(database, organizationId)).length > 0)
      signal.throwIfAborted();
  }
  if ("postgres" in database)
    await database.atomically([sql`delete from limit_level where organization_id = ${organizationId}`]);
}
