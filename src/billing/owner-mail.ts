/**
 * Tells the owners of an organization by mail what happened to its auto-recharge.
 *
 *   decline, refund, lost card ──> `notice` of the account, in the statement that changes it
 *      ──claim, for a lease──> a mail to each owner who was not told yet ──> all told: forgotten
 *                                  └── the mail server failed: again later, 12 times within a day; not if it refuses the address
 *
 * Every node looks once a minute; one claims. A node that is killed while it sends may have told an owner: the next one
 * tells them again.
 */
import { and, asc, eq, isNotNull, lte, sql } from "drizzle-orm";
import { type Clock, unixSeconds } from "../clock.ts";
import type { Database } from "../db/database.ts";
import type { Ledger } from "../ledger/ledger.ts";
import type { Log } from "../log/log.ts";
import { endsWithin } from "../within.ts";
import { type BillingAccount, NO_NOTICE } from "./billing-accounts.ts";
import type { TopUps } from "./top-ups.ts";

const EVERY_MS = 60_000;
const CLOSING_MS = 3000; // for work under way
const LEASE_SECONDS = 300;
const ATTEMPTS_MAX = 12;
const FIRST_PAUSE_SECONDS = 60; // doubled with every attempt
const LONGEST_PAUSE_SECONDS = 3 * 3600;
const ROWS_MAX = 100;

type Letter = { organization: { id: string; name: string }; subject: string; lines: string[] };

/** How owners are reached. Sending rejects if the mail server does not take the mail now; "refused": it never will. */
export type Mailing = {
  owners(organizationId: string): Promise<{ id: string; email: string }[]>;
  send(to: string, letter: Letter): Promise<"sent" | "refused">;
};

type OwnerMail = AsyncDisposable & {
  /** Sends what is due. Calls while it runs share the run. Never throws. */
  run(): Promise<void>;
};

type NoticeDeps = {
  database: Database;
  topUps: TopUps;
  ledger: Pick<Ledger, "credit">;
  /** Null: another process tells them. */
  mailing: Mailing | null;
  clock: Clock;
  log: Log;
};

type Notice = NonNullable<BillingAccount["notice"]>;
type Claimed = BillingAccount & { notice: Notice };

export function openOwnerMail(deps: NoticeDeps): OwnerMail {
  const { mailing, log } = deps;
  let running: Promise<void> | null = null;
  let isClosing = false;

  async function tellAll(mailing: Mailing): Promise<void> {
    for (const organizationId of await due(deps)) {
      if (isClosing) return;
      const claimed = await claim(deps, organizationId);
      if (claimed) await tell({ ...deps, mailing }, claimed);
    }
  }

  async function run(): Promise<void> {
    if (mailing === null) return;
    running ??= tellAll(mailing)
      .catch((cause: unknown) => log.error("notice_failed", { cause }))
      .finally(() => {
        running = null;
      });
    await running;
  }

  const timer = mailing && setInterval(() => void run(), EVERY_MS).unref();
  return {
    run,
    async [Symbol.asyncDispose]() {
      if (timer) clearInterval(timer);
      isClosing = true;
      await endsWithin(CLOSING_MS, Promise.resolve(running));
    },
  };
}

async function due({ database: { query, tables }, clock }: NoticeDeps): Promise<string[]> {
  const { organizationId, notice, noticeNotBefore } = tables.billingAccount;
  const rows = await query
    .select({ organizationId })
    .from(tables.billingAccount)
    .where(and(isNotNull(notice), lte(noticeNotBefore, unixSeconds(clock))))
    .orderBy(asc(noticeNotBefore))
    .limit(ROWS_MAX);
  return rows.map((row) => row.organizationId);
}

/** Null if it is no longer due, as when another node has claimed it. */
async function claim(
  { database: { query, tables }, clock }: NoticeDeps,
  id: string,
): Promise<Claimed | null> {
  const { billingAccount } = tables;
  const { organizationId, notice, noticeAttempts, noticeNotBefore } = billingAccount;
  const now = unixSeconds(clock);
  const rows = await query
    .update(billingAccount)
    .set({ noticeAttempts: sql`${noticeAttempts} + 1`, noticeNotBefore: now + LEASE_SECONDS })
    .where(and(eq(organizationId, id), isNotNull(notice), lte(noticeNotBefore, now)))
    .returning();
  return (rows[0] as Claimed | undefined) ?? null;
}

async function tell(deps: NoticeDeps & { mailing: Mailing }, claimed: Claimed): Promise<void> {
  const { mailing, clock, log } = deps;
  const { organizationId, notice, noticeAttempts: attempts } = claimed;
  const owners = await mailing.owners(organizationId);
  const reached = new Set(claimed.noticeSentTo.split(","));
  const letter = letterOf(claimed, await factsOf(deps, claimed));
  const left = owners.filter(({ id }) => !reached.has(id));
  const sent = await Promise.allSettled(left.map(({ email }) => mailing.send(email, letter)));
  const missed = left.filter((_, index) => sent[index]!.status === "rejected");
  const refused = sent.filter((one) => one.status === "fulfilled" && one.value === "refused");
  const isLast = attempts >= ATTEMPTS_MAX;
  const untold = refused.length + (isLast ? missed.length : 0);
  if (owners.length === 0 || untold > 0)
    log.error("notice_given_up", { organizationId, notice, attempts, owners: untold });
  if (missed.length === 0 || isLast) return settle(deps, claimed, NO_NOTICE);
  for (const [index, { id }] of left.entries()) if (sent[index]!.status === "fulfilled") reached.add(id);
  log.error("notice_failed", { organizationId, notice, attempts, owners: missed.length });
  const pause = Math.min(FIRST_PAUSE_SECONDS * 2 ** (attempts - 1), LONGEST_PAUSE_SECONDS);
  await settle(deps, claimed, {
    noticeSentTo: [...reached].filter((id) => id !== "").join(","),
    noticeNotBefore: unixSeconds(clock) + pause,
  });
}

async function factsOf({ database, topUps, ledger }: NoticeDeps, claimed: Claimed): Promise<Facts> {
  const { organizationId, rechargeFailedId } = claimed;
  const { organization } = database.tables;
  const [row] = await database.query
    .select({ name: organization.name })
    .from(organization)
    .where(eq(organization.id, organizationId));
  const { balanceMicros, overdraftMicros } = await ledger.credit(organizationId);
  const failed = rechargeFailedId === null ? null : await topUps.read(rechargeFailedId);
  const name = row?.name ?? "";
  return { name, leftMicros: balanceMicros - overdraftMicros, amountMicros: failed?.amountMicros ?? null };
}

/** Unless there is news since the claim, or the lease was taken over. */
async function settle(
  { database: { query, tables } }: NoticeDeps,
  claimed: Claimed,
  changes: Partial<BillingAccount>,
): Promise<void> {
  const { billingAccount } = tables;
  const { organizationId, notice, noticeAttempts, noticeNotBefore } = billingAccount;
  await query
    .update(billingAccount)
    .set(changes)
    .where(
      and(
        eq(organizationId, claimed.organizationId),
        eq(notice, claimed.notice),
        eq(noticeAttempts, claimed.noticeAttempts),
        eq(noticeNotBefore, claimed.noticeNotBefore),
      ),
    );
}

/** `leftMicros`: balance less overdraft. `amountMicros`: of the last declined charge; null if unknown. */
type Facts = { name: string; leftMicros: number; amountMicros: number | null };

type Words = Pick<Letter, "subject" | "lines">;

const SWITCHED_OFF = "Auto-recharge was switched off";

function letterOf(account: Claimed, facts: Facts): Letter {
  const organization = { id: account.organizationId, name: facts.name };
  return { organization, ...LETTERS[account.notice](account, facts) };
}

const LETTERS: Record<Notice, (account: Claimed, facts: Facts) => Words> = {
  declined: (account, facts) => ({
    subject: "A payment for auto-recharge was declined",
    lines: [
      `Auto-recharge could not charge ${amountOf(facts)} to ${cardOf(account)}: ${reasonOf(account)}.`,
      `${leftOf(facts)} Auto-recharge tries again every 15 minutes. It is switched off when three payments in a row are declined.`,
      remedyOf(account),
    ],
  }),
  switched_off: (account, facts) => ({
    subject: SWITCHED_OFF,
    lines: [
      `Three payments in a row were declined. The last one was ${amountOf(facts)} with ${cardOf(account)}: ${reasonOf(account)}.`,
      `${leftOf(facts)} Auto-recharge was switched off, and the card is not charged again until an owner switches it on. Requests are refused when the credit is used up.`,
      remedyOf(account),
    ],
  }),
  refunded: () => takenBack("refunded"),
  disputed: () => takenBack("disputed"),
  card_removed: (_, facts) => ({
    subject: SWITCHED_OFF,
    lines: [
      "The saved card of your organization no longer exists at the payment service, so auto-recharge was switched off.",
      `${leftOf(facts)} Requests are refused when the credit is used up.`,
      "Save a card and switch auto-recharge on again, or buy credit.",
    ],
  }),
};

const takenBack = (why: "refunded" | "disputed"): Words => ({
  subject: SWITCHED_OFF,
  lines: [
    `A payment of your organization was ${why}, and its credit was taken back.`,
    "Auto-recharge was switched off so that the card is not charged again. It stays off until an owner switches it on.",
  ],
});

const dollars = (micros: number) => `${micros < 0 ? "-" : ""}$${(Math.abs(micros) / 1e6).toFixed(2)}`;

const amountOf = ({ amountMicros }: Facts) =>
  amountMicros === null ? "the missing credit" : dollars(amountMicros);

const leftOf = ({ leftMicros }: Facts) => `Your organization has ${dollars(leftMicros)} of credit left.`;

const cardOf = ({ cardBrand, cardLast4 }: Claimed) =>
  cardBrand && cardLast4 ? `the card ${cardBrand} ending in ${cardLast4}` : "the saved card";

/** By the payment service's codes. Others are not passed on: some, such as that of a stolen card, are not for cardholders. */
const REASONS: Record<string, string> = {
  authentication_required: "the bank wants the cardholder to confirm the payment",
  expired_card: "the card has expired",
  insufficient_funds: "the card has insufficient funds",
};

const reasonOf = ({ rechargeProblem }: Claimed) =>
  REASONS[rechargeProblem ?? ""] ?? "the payment was declined";

const remedyOf = ({ rechargeProblem }: Claimed) =>
  rechargeProblem === "authentication_required"
    ? "Buy credit on the billing page, where the bank can ask for the confirmation, or save another card."
    : "Save another card, or buy credit.";
