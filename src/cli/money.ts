/** `loquat credit …`, `usage`, `ledger verify`, `billing reconcile`: what there is, what was used, and whether it adds up. */
import { parseArgs } from "node:util";
import { openBillingStores } from "../billing/billing.ts";
import { type Discrepancy, reconcile, repair } from "../billing/reconcile.ts";
import { openPayments } from "../billing/stripe.ts";
import { systemClock, unixSeconds } from "../clock.ts";
import { ConfigError, readConfig } from "../config.ts";
import { giveCredit } from "../ledger/adjustment.ts";
import { grantRecord } from "../ledger/grant-record.ts";
import { differencesOf, sentenceOf } from "../ledger/verify.ts";
import { openLog } from "../log.ts";
import { roundSeconds } from "../usage/seconds.ts";
import { dollars, organizationOf, readDollars, readWhole, withStorage } from "./context.ts";
import { printLine, printList, UsageError } from "./output.ts";

const OPTIONS = {
  org: { type: "string" },
  days: { type: "string" },
  json: { type: "boolean", default: false },
} as const;
const CREDIT_OPTIONS = { ...OPTIONS, "idempotency-key": { type: "string" } } as const;

const COLUMNS = ["id", "kind", "amount_micros", "remaining_micros", "created_at", "expires_at", "status"];

export async function credit(args: string[]): Promise<void> {
  const { values, positionals } = parseArgs({ args, options: CREDIT_OPTIONS, allowPositionals: true });
  const [verb, amount, ...rest] = positionals;
  await withStorage(async (storage) => {
    const organizationId = await organizationOf(storage, values.org);
    const now = unixSeconds(systemClock);
    if (verb === "history" && !amount) {
      const grants = await storage.ledger.grants(organizationId);
      const rows = grants.map((grant) => grantRecord(grant, now));
      return printList(rows, COLUMNS, values.json);
    }
    if (verb === "grant" && amount && rest.length === 0) {
      const given = await giveCredit(
        storage.ledger,
        {
          organizationId,
          amountMicros: readDollars("The amount", amount),
          days: values.days === undefined ? null : readWhole("--days", values.days),
          idempotencyKey: values["idempotency-key"] || null,
        },
        systemClock,
      );
      if (!given) throw new UsageError("Other credit was given under this --idempotency-key. Use another.");
    } else if (verb !== "balance" || amount) {
      throw new UsageError("credit takes grant DOLLARS, balance, or history.");
    }
    const { balanceMicros, overdraftMicros, monthMicros } = await storage.ledger.credit(organizationId);
    const told = `Balance ${dollars(balanceMicros)}, overdraft ${dollars(overdraftMicros)}, this month ${dollars(monthMicros)}.`;
    const record = {
      organization_id: organizationId,
      balance_micros: balanceMicros,
      overdraft_micros: overdraftMicros,
      month_to_date_micros: monthMicros,
    };
    printLine(values.json ? JSON.stringify(record, null, 2) : told);
  });
}

export async function usage(args: string[]): Promise<void> {
  const { values } = parseArgs({ args, options: OPTIONS });
  await withStorage(async (storage) => {
    const organizationId = await organizationOf(storage, values.org);
    const { requests, characters, audioSeconds, costMicros } = await storage.ledger.totals(organizationId);
    const seconds = roundSeconds(audioSeconds);
    const totals = { requests, characters, audio_seconds: seconds, cost_micros: costMicros };
    printLine(
      values.json
        ? JSON.stringify({ organization_id: organizationId, ...totals }, null, 2)
        : `${requests} requests billed: ${characters} characters, ${seconds} s of audio, ${dollars(costMicros)}.`,
    );
  });
}

/** Fails where anything differs. */
export async function ledger(args: string[]): Promise<void> {
  const { values, positionals } = parseArgs({ args, options: OPTIONS, allowPositionals: true });
  if (positionals.join(" ") !== "verify") throw new UsageError("ledger takes one word: verify.");
  const audit = await withStorage((storage) => storage.ledger.audit());
  const found = differencesOf(audit);
  if (values.json) printList(found, ["of", "what", "stored", "computed"], true);
  else if (found.length > 0) for (const difference of found) printLine(sentenceOf(difference));
  else printLine(`${audit.accounts.length} accounts and ${audit.grants.length} grants add up.`);
  if (found.length > 0) process.exitCode = 1;
}

const RECONCILE = {
  days: { type: "string", default: "30" },
  repair: { type: "boolean", default: false },
  json: { type: "boolean", default: false },
} as const;

const DISCREPANCY_COLUMNS = [
  "top_up_id",
  "payment_id",
  "reclaim_id",
  "what",
  "expected_micros",
  "found_micros",
];
const DAY = 86_400;

/** Fails while anything differs. */
export async function billing(args: string[]): Promise<void> {
  const { values, positionals } = parseArgs({ args, options: RECONCILE, allowPositionals: true });
  if (positionals.join(" ") !== "reconcile") throw new UsageError("billing takes one word: reconcile.");
  const since = unixSeconds(systemClock) - readWhole("--days", values.days) * DAY;
  const config = readConfig();
  if (config.stripe === null)
    throw new ConfigError("STRIPE_SECRET_KEY and STRIPE_WEBHOOK_SECRET say which account to compare with.");
  const payments = openPayments(config.stripe);
  await withStorage(async ({ database, ledger }) => {
    const shared = { database, ledger, payments, clock: systemClock, log: openLog(config.log.level) };
    const parts = openBillingStores({ ...shared, origin: () => config.http.url ?? "" });
    if (values.repair) await repair(parts, since);
    const found = await reconcile(parts, since);
    if (values.json || found.length > 0) printList(found.map(recordOf), DISCREPANCY_COLUMNS, values.json);
    else printLine(`Stripe, top-ups and credit agree for ${values.days} days.`);
    if (found.length > 0) process.exitCode = 1;
  });
}

const recordOf = ({ topUpId, paymentId, reclaimId, what, expectedMicros, foundMicros }: Discrepancy) => ({
  top_up_id: topUpId,
  payment_id: paymentId,
  reclaim_id: reclaimId,
  what,
  expected_micros: expectedMicros,
  found_micros: foundMicros,
});
