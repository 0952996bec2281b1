/**
 * Tells the owners of an organization by mail what happened to its auto-recharge.
 *
 *   event of a decline, a switch-off ──in its transaction──> a row of work for the organization ──> a row for each owner
 *   once a minute: balance below a dollar, card about to expire ──with its mark──^                     └── five attempts
 *
 * Each is told once, whichever node looks. Letters are written when they are sent; what is no longer so is not told. A node
 * that is killed while it sends may have told an owner: the next one tells them again.
 */
import { and, eq, isNotNull, lte, sql } from "drizzle-orm";
import { type Clock, endsWithin, unixSeconds } from "../clock.ts";
import type { Database } from "../db/database.ts";
import { addsOf, type NewWork } from "../db/queries/work-rows.ts";
import type { Consumer } from "../events/raising.ts";
import { newId } from "../ids.ts";
import type { Ledger } from "../ledger/ledger.ts";
import type { Log } from "../log/log.ts";
import { repeating } from "../one-at-a-time.ts";
import type { Handler } from "../work/attempt.ts";
import { MAIL_RULES } from "../work/mail-rules.ts";
import type { Work } from "../work/work-queue.ts";
import {
  type BillingAccount,
  type BillingAccounts,
  LOW_BALANCE_MICROS,
  NO_NOTICE,
} from "./billing-accounts.ts";
import type { Customers } from "./customers.ts";
import { type Facts, isCurrent, mustConfirm, type Told, type Words, wordsOf } from "./owner-letters.ts";
import type { TopUps } from "./top-ups.ts";

const KIND = "owner_mail";
const EVERY_MS = 60_000;
const CLOSING_MS = 3000; // for work under way
const ROWS_MAX = 100;
const DAY_SECONDS = 86_400;
const PACE_DAYS = 7;

/** `confirm`: a page where the cardholder confirms the card. */
type Letter = { organization: { id: string; name: string }; confirm: string | null } & Words;

/** How owners are reached. Sending rejects if the mail server does not take the mail now; "refused": it never will. */
export type Mailing = {
  owners(organizationId: string): Promise<{ id: string; email: string }[]>;
  send(to: string, letter: Letter): Promise<"sent" | "refused">;
};

type OwnerMail = AsyncDisposable & {
  /** Looks for what is to be told, and sends what is due. Calls while it runs share the run. Never throws. */
  run(): Promise<void>;
};

type OwnerMailDeps = {
  database: Database;
  accounts: BillingAccounts;
  topUps: TopUps;
  customers: Pick<Customers, "startSetup">;
  ledger: Pick<Ledger, "credit" | "usage">;
  /** Null: another process tells them. */
  mailing: Mailing | null;
  work: Pick<Work, "handle" | "run"> | null;
  clock: Clock;
  log: Log;
};

/** `userId`: of the owner; without it, all are still to be told. */
type Payload = { organizationId: string; told: Told; userId?: string };

const rowOf = (id: string, payload: Payload, dueMs: number): NewWork => ({
  ...{ id, kind: KIND, dueMs },
  payload: JSON.stringify(payload),
});

/** The work that follows from events of auto-recharge. */
export const ownerMailOf: Consumer = ({ id, type, organizationId, data, createdAt }) => {
  const told = type === "payment.failed" ? "declined" : (JSON.parse(data).reason as Told);
  return organizationId === null ? [] : [rowOf(`${id}_owners`, { organizationId, told }, createdAt * 1000)];
};

/** Of an owner who was not told. */
class Untold extends Error {
  readonly payload: Payload;
  readonly isFinal: boolean;
  constructor(payload: Payload, { isFinal, cause }: { isFinal: boolean; cause?: unknown }) {
    super("an owner was not told", { cause });
    this.payload = payload;
    this.isFinal = isFinal;
  }
}

export function openOwnerMail(deps: OwnerMailDeps): OwnerMail {
  const { mailing, work, log } = deps;
  if (mailing === null || work === null) return { run: async () => {}, async [Symbol.asyncDispose]() {} };
  work.handle(KIND, handlerOf({ ...deps, mailing }));

  async function look(): Promise<void> {
    for (const find of [lowBalances, expiringCards, leftByEarlier]) await find(deps);
    await work!.run();
  }

  const looks = repeating(EVERY_MS, look, (cause) => log.error("notice_failed", { cause }));
  return {
    run: looks.run,
    async [Symbol.asyncDispose]() {
      await endsWithin(CLOSING_MS, Promise.resolve(looks[Symbol.asyncDispose]()));
    },
  };
}

function handlerOf(deps: OwnerMailDeps & { mailing: Mailing }): Handler {
  const { mailing, accounts, clock, log } = deps;
  return {
    rules: MAIL_RULES,
    async attempt({ id, payload: text }) {
      const payload = JSON.parse(text) as Payload;
      const { organizationId, told, userId } = payload;
      const account = await accounts.read(organizationId);
      if (!isCurrent(told, account)) return [];
      const owners = await mailing.owners(organizationId);
      if (userId === undefined) {
        if (owners.length === 0) throw new Untold(payload, { isFinal: true });
        return owners.map((owner) =>
          rowOf(`${id}_${owner.id}`, { ...payload, userId: owner.id }, clock.now()),
        );
      }
      const owner = owners.find((each) => each.id === userId);
      if (!owner) return []; // no longer one
      const sent = await tell(deps, { account, told, email: owner.email }).catch((cause: unknown) => {
        throw new Untold(payload, { isFinal: false, cause });
      });
      if (sent === "refused") throw new Untold(payload, { isFinal: true });
      return [];
    },
    failureOf: (cause) => ({ isFinal: cause instanceof Untold && cause.isFinal }),
    failed(cause, { again }) {
      const { organizationId = null, told: notice = null } = cause instanceof Untold ? cause.payload : {};
      log.error(again ? "notice_failed" : "notice_given_up", { organizationId, notice });
    },
  };
}

type Telling = { account: BillingAccount; told: Told; email: string };

async function tell(
  deps: OwnerMailDeps & { mailing: Mailing },
  { account, told, email }: Telling,
): Promise<"sent" | "refused"> {
  const { organizationId: id } = account;
  const { organization } = deps.database.tables;
  const [row] = await deps.database.query
    .select({ name: organization.name })
    .from(organization)
    .where(eq(organization.id, id));
  const words = wordsOf(told, account, await factsOf(deps, account));
  const confirm = mustConfirm(told, account) ? (await deps.customers.startSetup(id, email)).url : null;
  return deps.mailing.send(email, { organization: { id, name: row?.name ?? "" }, confirm, ...words });
}

async function factsOf({ topUps, ledger, clock }: OwnerMailDeps, account: BillingAccount): Promise<Facts> {
  const { organizationId, rechargeFailedId } = account;
  const { balanceMicros, overdraftMicros } = await ledger.credit(organizationId);
  const failed = rechargeFailedId === null ? null : await topUps.read(rechargeFailedId);
  const end = unixSeconds(clock);
  const today = end % DAY_SECONDS;
  const start = end - today - (PACE_DAYS - 1) * DAY_SECONDS;
  const days = await ledger.usage({ organizationId, start, end, bucket: "day", groupBy: [], filters: {} });
  const spent = days.reduce((sum, { costMicros }) => sum + costMicros, 0);
  return {
    leftMicros: balanceMicros - overdraftMicros,
    dayMicros: spent / (PACE_DAYS - 1 + today / DAY_SECONDS),
    amountMicros: failed?.amountMicros ?? null,
  };
}

/** A row of work, for the transaction that marks what is told. */
function telling({ database, clock }: OwnerMailDeps, organizationId: string, told: Told) {
  return addsOf(database, [rowOf(newId("mail", clock), { organizationId, told }, clock.now())]);
}

/** Of organizations whose auto-recharge was switched off while they had more. */
async function lowBalances(deps: OwnerMailDeps): Promise<void> {
  const { query, tables, ifChanged } = deps.database;
  const { organizationId, lowBalanceDue } = tables.billingAccount;
  const due = await query
    .select({ organizationId })
    .from(tables.billingAccount)
    .where(eq(lowBalanceDue, true));
  for (const { organizationId: id } of due) {
    const { balanceMicros, overdraftMicros } = await deps.ledger.credit(id);
    if (balanceMicros - overdraftMicros >= LOW_BALANCE_MICROS) continue;
    const isDue = and(eq(organizationId, id), eq(lowBalanceDue, true));
    const told = query.update(tables.billingAccount).set({ lowBalanceDue: false }).where(isDue);
    await ifChanged(told, telling(deps, id, "low_balance"));
  }
}

/** Of cards that auto-recharge charges, and that expire this month or the next one (UTC). */
async function expiringCards(deps: OwnerMailDeps): Promise<void> {
  const { query, tables, ifChanged } = deps.database;
  const { organizationId, rechargeEnabled, cardExpYear, cardExpMonth, cardExpiryTold } =
    tables.billingAccount;
  const now = new Date(deps.clock.now());
  const thisMonth = now.getUTCFullYear() * 12 + now.getUTCMonth();
  const month = sql`(${cardExpYear} * 12 + ${cardExpMonth} - 1)`;
  const expiry = sql<number>`(${cardExpYear} * 100 + ${cardExpMonth})`;
  const isDue = and(
    eq(rechargeEnabled, true),
    sql`${month} between ${thisMonth} and ${thisMonth + 1}`,
    sql`coalesce(${cardExpiryTold}, 0) <> ${expiry}`,
  );
  const due = await query.select({ organizationId }).from(tables.billingAccount).where(isDue).limit(ROWS_MAX);
  for (const { organizationId: id } of due) {
    const told = query
      .update(tables.billingAccount)
      .set({ cardExpiryTold: expiry })
      .where(and(eq(organizationId, id), isDue));
    await ifChanged(told, telling(deps, id, "card_expires"));
  }
}

/** What nodes of earlier versions left in the account to be told. */
async function leftByEarlier(deps: OwnerMailDeps): Promise<void> {
  const { query, tables, ifChanged } = deps.database;
  const { organizationId, notice, noticeNotBefore } = tables.billingAccount;
  const isDue = and(isNotNull(notice), lte(noticeNotBefore, unixSeconds(deps.clock)));
  const due = await query.select().from(tables.billingAccount).where(isDue).limit(ROWS_MAX);
  for (const { organizationId: id, notice: told } of due) {
    const isSame = and(eq(organizationId, id), isDue, eq(notice, told!));
    const forgotten = query.update(tables.billingAccount).set(NO_NOTICE).where(isSame);
    await ifChanged(forgotten, telling(deps, id, told!));
  }
}
