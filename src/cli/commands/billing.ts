/** `loquat billing reconcile`: compares Stripe, top-ups and credit grants. */
import type { Command } from "@commander-js/extra-typings";
import { openBillingStores } from "../../billing/billing.ts";
import { type Discrepancy, reconcile, repair } from "../../billing/reconcile.ts";
import { openPayments } from "../../billing/stripe.ts";
import { systemClock } from "../../clock.ts";
import { ConfigError, readConfig } from "../../config/config.ts";
import { openProcessLog } from "../../log/log.ts";
import { withStorage } from "../base/context.ts";
import { type Column, JSON_OPTION, printLine, printList } from "../base/output.ts";
import { daysAgo, formatDollars, wholeNumber } from "../base/values.ts";

const COLUMNS: Column<ReturnType<typeof recordOf>>[] = [
  { title: "TOP-UP", text: ({ top_up_id }) => top_up_id },
  { title: "WHAT", text: ({ what }) => what, cut: true },
  { title: "EXPECTED", text: ({ expected_micros }) => formatDollars(expected_micros) },
  { title: "FOUND", text: ({ found_micros }) => formatDollars(found_micros) },
];

export function billing(command: Command): void {
  command
    .command("reconcile")
    .description("Compare Stripe, top-ups and credit grants; exit code 1 if anything differs")
    .option("--days <days>", "how many days to look back", wholeNumber, 30)
    .option("--repair", "fix what differs before comparing")
    .option(...JSON_OPTION)
    .action(run);
}

type Options = { days: number; repair?: true | undefined; json?: true | undefined };

async function run({ days, repair: isRepair, json }: Options): Promise<void> {
  const { stripe, log, http } = readConfig();
  if (stripe === null)
    throw new ConfigError("Set STRIPE_SECRET_KEY and STRIPE_WEBHOOK_SECRET to reconcile payments.");
  const payments = openPayments(stripe);
  const discrepancies = await withStorage(async ({ database, ledger }) => {
    const shared = { database, ledger, payments, clock: systemClock, log: openProcessLog(log) };
    const stores = openBillingStores({ ...shared, origin: () => http.url ?? "" });
    if (isRepair) await repair(stores, daysAgo(days));
    return await reconcile(stores, daysAgo(days));
  });
  if (json || discrepancies.length > 0) printList(discrepancies.map(recordOf), { columns: COLUMNS, json });
  else printLine(`Stripe, top-ups and credit agree for the last ${days === 1 ? "day" : `${days} days`}.`);
  if (discrepancies.length > 0) process.exitCode = 1;
}

const recordOf = ({ topUpId, paymentId, reclaimId, what, expectedMicros, actualMicros }: Discrepancy) => ({
  top_up_id: topUpId,
  payment_id: paymentId,
  reclaim_id: reclaimId,
  what,
  expected_micros: expectedMicros,
  found_micros: actualMicros,
});
