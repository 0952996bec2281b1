/**
 * Who may get mail of alerts: members whose addresses are verified, and other addresses that agreed by a mailed link.
 *
 *   named by an alert ──> pending ──one mail with a link, valid for 7 days──> confirmed <──> unsubscribed, by a link of each mail
 *                            └── named again a day later: another mail
 *
 * So that this server mails people who did not ask for it seldom, mails that ask are counted by organization, person and address.
 */
import { and, eq, inArray, type SQL, type SQLWrapper } from "drizzle-orm";
import { actorNow } from "../audit/actor.ts";
import { created, openAudit } from "../audit/audit-events.ts";
import { type Clock, unixSeconds } from "../clock.ts";
import type { Database } from "../db/database.ts";
import { openRecipientRows, type RecipientRow } from "../db/queries/recipient-rows.ts";
import { addsOf } from "../db/queries/work-rows.ts";
import { type Detail, invalidInput, Refusal } from "../errors.ts";
import { newId } from "../ids.ts";
import { ASKING_SECONDS, openRecipientTokens, type TokenSignatures } from "./recipient-tokens.ts";

export const ASKING_WORK = "alert_recipient_mail";
/** The row is asked with this nonce. */
export type AskingWork = { recipientId: string; nonce: string };

type RecipientState = "member" | RecipientRow["state"];

/** `field`: of the addresses in the request. `when`: a condition in SQL, without which nothing is stored. */
type Naming = { organizationId: string; addresses: readonly string[]; field: string; when?: SQL };

export type AlertRecipients = {
  /** By address, in small letters. */
  statesOf(organizationId: string, addresses: readonly string[]): Promise<Map<string, RecipientState>>;
  /**
   * Statements for the transaction that names them: those that have to agree are asked. Refuses what is no address, one address
   * or mail too many, and all but members where the server sends no mail.
   */
  naming(naming: Naming): Promise<SQLWrapper[]>;
  /** To be called after that transaction. */
  named(): void;
  /** Whom the balance alert tells besides the owners. */
  ofBalance(organizationId: string): Promise<{ email: string; state: RecipientState }[]>;
  setOfBalance(organizationId: string, addresses: readonly string[]): Promise<void>;
  /** What the holder of a mailed link wants. Refuses links that are invalid or have expired. */
  answer(token: string, wants: boolean): Promise<Answered>;
};

type Answered = { email: string; state: "confirmed" | "unsubscribed"; organization: string };

type Bound = { most: number; windowSeconds: number };

/** What asking by mail needs. `isAllowed`: false where the address got too many mails. */
type Asking = {
  attempts: { refuse(action: string, subject: string, bound: Bound): Promise<void> };
  isAllowed(to: string): Promise<boolean>;
  isAddress(text: string): boolean;
  wake(): void;
};

/** `asking`: null where the server sends no mail. */
export type RecipientDeps = {
  database: Database;
  signatures: TokenSignatures;
  asking: Asking | null;
  clock: Clock;
};

const DAY_SECONDS = 86_400;
/** That have not refused. */
const OF_ORGANIZATION_MAX = 100;
const MAILS_OF_ORGANIZATION: Bound = { most: 20, windowSeconds: DAY_SECONDS };
const MAILS_OF_PERSON: Bound = { most: 40, windowSeconds: DAY_SECONDS };

export function openAlertRecipients(deps: RecipientDeps): AlertRecipients {
  const { database, asking, clock } = deps;
  const rows = openRecipientRows(database);
  const statesOf: AlertRecipients["statesOf"] = async (organizationId, addresses) => {
    const emails = distinct(addresses);
    const [members, known] = await Promise.all([
      verifiedMembers(database, organizationId, emails),
      rows.named(organizationId, emails),
    ]);
    const states = new Map<string, RecipientState>(emails.map((each) => [each, "pending"]));
    for (const { email, state } of known) states.set(email, state);
    for (const { email } of members) states.set(email, "member");
    return states;
  };
  const naming = openNaming(deps, statesOf);
  return {
    statesOf,
    naming,
    named: () => asking?.wake(),
    async ofBalance(organizationId) {
      const told = await rows.ofBalance(organizationId);
      const emails = told.map(({ email }) => email);
      const states = await statesOf(organizationId, emails);
      return emails.map((email) => ({ email, state: states.get(email)! }));
    },
    async setOfBalance(organizationId, addresses) {
      const emails = distinct(addresses);
      const before = (await rows.ofBalance(organizationId)).map(({ email }) => email);
      if (before.toSorted().join() === emails.toSorted().join()) return;
      const field = "balance_alert_recipients";
      const statements = await naming({ organizationId, addresses, field });
      const kept = emails.map((email) => rows.added(rowFor(organizationId, email, clock)));
      const changed = [...statements, ...kept, ...rows.balanceToldTo(organizationId, emails)];
      await openAudit(database, clock).atomically(changed, [
        {
          ...{ type: "billing.balance_alert.updated", organizationId, resourceId: organizationId },
          changes: [{ field: "recipients", before: before.length, after: emails.length }],
        },
      ]);
      asking?.wake();
    },
    answer: answering(deps),
  };
}

const distinct = (addresses: readonly string[]): string[] => [
  ...new Set(addresses.map((each) => each.toLowerCase())),
];

const rowFor = (organizationId: string, email: string, clock: Clock): Omit<RecipientRow, "tellsBalance"> => ({
  ...{ id: newId("recip", clock), organizationId, email, state: "pending", nonce: newId("recip", clock) },
  ...{ askedAt: null, answeredAt: null, createdAt: unixSeconds(clock) },
});

function openNaming(
  { database, asking, clock }: RecipientDeps,
  statesOf: AlertRecipients["statesOf"],
): AlertRecipients["naming"] {
  const rows = openRecipientRows(database);
  return async ({ organizationId, addresses, field, when }) => {
    if (addresses.length === 0) return [];
    const states = await statesOf(organizationId, addresses);
    const isPending = (each: string) => states.get(each.toLowerCase()) === "pending";
    if (asking === null) {
      needNone(addresses, isPending, { field, ...NOT_MEMBER });
      return [];
    }
    const isNoAddress = (each: string) => isPending(each) && !asking.isAddress(each);
    needNone(addresses, isNoAddress, { field, ...NO_ADDRESS });
    const now = unixSeconds(clock);
    const pending = distinct(addresses.filter(isPending));
    const known = new Map((await rows.named(organizationId, pending)).map((row) => [row.email, row]));
    await needRoom(rows, organizationId, pending.filter((email) => !known.has(email)).length);
    const statements: SQLWrapper[] = [];
    for (const email of pending) {
      const before = known.get(email);
      const row = before ?? rowFor(organizationId, email, clock);
      const isDue = row.askedAt === null || row.askedAt + DAY_SECONDS <= now;
      const isAsked = isDue && (await mayAsk(asking, organizationId, email));
      const again = isAsked ? { nonce: newId("recip", clock), askedAt: now } : null;
      if (!before) statements.push(rows.added({ ...row, ...again }, when));
      else if (again) statements.push(rows.asked(before, again, when));
      if (again) statements.push(...addsOf(database, [workOf(row.id, again.nonce, clock)], when));
    }
    return statements;
  };
}

/** Rather few mails than one too many: those that are counted here and refused later are not sent. */
async function mayAsk(asking: Asking, organizationId: string, email: string): Promise<boolean> {
  const { type, id } = actorNow();
  if (type === "user" && id !== null)
    await asking.attempts.refuse("alert recipients of", id, MAILS_OF_PERSON);
  await asking.attempts.refuse("alert recipients", organizationId, MAILS_OF_ORGANIZATION);
  return asking.isAllowed(email);
}

const workOf = (recipientId: string, nonce: string, clock: Clock) => ({
  ...{ id: `${recipientId}_${nonce}`, kind: ASKING_WORK, dueMs: clock.now() },
  expiresMs: clock.now() + ASKING_SECONDS * 1000,
  payload: JSON.stringify({ recipientId, nonce } satisfies AskingWork),
});

async function needRoom(
  rows: ReturnType<typeof openRecipientRows>,
  organizationId: string,
  added: number,
): Promise<void> {
  const isFull = async () => (await rows.counted(organizationId)) + added > OF_ORGANIZATION_MAX;
  if (added === 0 || !(await isFull())) return;
  await rows.sweep(organizationId);
  if (await isFull())
    throw new Refusal(
      "too_many_alert_recipients",
      `Alerts of an organization may name ${OF_ORGANIZATION_MAX} addresses that are not members'. Remove some first.`,
    );
}

type Fault = Pick<Detail, "code" | "message"> & { refusal: "recipient_not_member" | "validation_error" };

const NOT_MEMBER: Fault = {
  ...{ refusal: "recipient_not_member", code: "not_one_of" },
  message: "must be the verified address of a member of the organization, as this server sends no mail",
};
const NO_ADDRESS: Fault = {
  ...{ refusal: "validation_error", code: "malformed", message: "must be an e-mail address" },
};

function needNone(
  addresses: readonly string[],
  isWrong: (address: string) => boolean,
  { field, refusal, ...fault }: Fault & { field: string },
): void {
  const details = addresses.flatMap((each, index) =>
    isWrong(each) ? [{ field: `${field}.${index}`, ...fault }] : [],
  );
  if (details.length === 0) return;
  const { message } = invalidInput(details);
  throw new Refusal(refusal, message, { param: details[0]!.field, details });
}

function answering({ database, signatures, clock }: RecipientDeps): AlertRecipients["answer"] {
  const rows = openRecipientRows(database);
  const tokens = openRecipientTokens(signatures);
  const audit = openAudit(database, clock);
  const { organization } = database.tables;
  return async (token, wants) => {
    const claims = await tokens.read(token);
    const row = claims && (await rows.find(claims.id));
    if (!row || row.nonce !== claims.nonce) throw invalidLink();
    const now = unixSeconds(clock);
    const state = wants ? "confirmed" : "unsubscribed";
    if (row.state !== state) {
      const { until } = claims; // a link that asks takes one consent; an end of mails is always taken
      if (wants && until !== null && (until <= now || row.state !== "pending")) throw invalidLink();
      const type = `spend_alert.recipient_${state}` as const;
      const event = { type, organizationId: row.organizationId, resourceId: row.id };
      const changes = created({ state }).map((change) => ({ ...change, before: row.state }));
      await audit.ifChanged(rows.answered(row, { state, answeredAt: now }), [], [{ ...event, changes }]);
    }
    const [of] = await database.query
      .select({ name: organization.name })
      .from(organization)
      .where(eq(organization.id, row.organizationId));
    return { email: row.email, state, organization: of?.name ?? "" };
  };
}

const invalidLink = () => new Refusal("invalid_token", "This link is invalid or has expired.");

/** Addresses are stored in small letters. `among`: only these. */
async function verifiedMembers(
  { query, tables: { member, user } }: Pick<Database, "query" | "tables">,
  organizationId: string,
  among?: readonly string[],
): Promise<{ id: string; email: string }[]> {
  if (among?.length === 0) return [];
  const isAmong = among && inArray(user.email, [...among]);
  return query
    .select({ id: user.id, email: user.email })
    .from(member)
    .innerJoin(user, eq(member.userId, user.id))
    .where(and(eq(member.organizationId, organizationId), eq(user.emailVerified, true), isAmong));
}

/** `token`: of who is no member, and may say by it that no more is wanted. */
export type Addressee = { id: string; email: string; row: RecipientRow | null };

/** Who gets mail of an organization's alerts where one names them. */
export async function addressees(database: Database, organizationId: string): Promise<Addressee[]> {
  const members = await verifiedMembers(database, organizationId);
  const known = new Set(members.map(({ email }) => email));
  const confirmed = await openRecipientRows(database).confirmed(organizationId);
  return [
    ...members.map((each) => ({ ...each, row: null })),
    ...confirmed
      .filter(({ email }) => !known.has(email))
      .map((row) => ({ id: row.id, email: row.email, row })),
  ];
}
