/** `loquat credit`: grants, balances and their history. */
import type { Command } from "@commander-js/extra-typings";
import { systemClock, unixSeconds } from "../../clock.ts";
import { giveCredit } from "../../ledger/adjustment.ts";
import { grantRecord } from "../../ledger/booking/grant-record.ts";
import type { Storage } from "../../server/storage.ts";
import { ORG_OPTION, organizationOf, withStorage } from "../base/context.ts";
import { type Column, JSON_OPTION, printJson, printLine, printList, UsageError } from "../base/output.ts";
import { dollarAmount, formatDollars, formatTime, wholeNumber } from "../base/values.ts";

const COLUMNS: Column<ReturnType<typeof grantRecord>>[] = [
  { title: "GRANTED", text: ({ created_at }) => formatTime(created_at) },
  "kind",
  { title: "AMOUNT", text: ({ amount_micros }) => formatDollars(amount_micros) },
  { title: "REMAINING", text: ({ remaining_micros }) => formatDollars(remaining_micros) },
  { title: "EXPIRES", text: ({ expires_at }) => formatTime(expires_at) ?? "never" },
  "status",
];

export function credit(command: Command): void {
  command
    .command("grant")
    .description("Grant credit and print the balance")
    .argument("<dollars>", "the amount, such as 5 or 2.50", dollarAmount)
    .option(...ORG_OPTION)
    .option("--days <days>", "days until it expires (default: never)", wholeNumber)
    .option("--idempotency-key <key>", "repeating a grant with this key changes nothing")
    .option(...JSON_OPTION)
    .action(grant);
  command
    .command("balance")
    .description("Print the balance, overdraft and this month's spending")
    .option(...ORG_OPTION)
    .option(...JSON_OPTION)
    .action(({ org, json }) =>
      withStorage(async (storage) => printBalance(storage, await organizationOf(storage, org), json)),
    );
  command
    .command("history")
    .description("List every grant")
    .option(...ORG_OPTION)
    .option(...JSON_OPTION)
    .action(({ org, json }) =>
      withStorage(async (storage) => {
        const grants = await storage.ledger.grants(await organizationOf(storage, org));
        const now = unixSeconds(systemClock);
        printList(
          grants.map((each) => grantRecord(each, now)),
          { columns: COLUMNS, json },
        );
      }),
    );
}

type GrantOptions = {
  org?: string | undefined;
  days?: number | undefined;
  idempotencyKey?: string | undefined;
  json?: true | undefined;
};

async function grant(amountMicros: number, { org, days, idempotencyKey, json }: GrantOptions): Promise<void> {
  await withStorage(async (storage) => {
    const organizationId = await organizationOf(storage, org);
    const adjustment = {
      organizationId,
      amountMicros,
      days: days ?? null,
      idempotencyKey: idempotencyKey || null,
    };
    const isGranted = await giveCredit(storage.ledger, adjustment, systemClock);
    if (!isGranted)
      throw new UsageError("This --idempotency-key was used for a different grant. Use another one.");
    await printBalance(storage, organizationId, json);
  });
}

async function printBalance({ ledger }: Storage, id: string, json: boolean | undefined): Promise<void> {
  const { balanceMicros, overdraftMicros, monthMicros } = await ledger.credit(id);
  if (json)
    return printJson({
      organization_id: id,
      balance_micros: balanceMicros,
      overdraft_micros: overdraftMicros,
      month_to_date_micros: monthMicros,
    });
  const [balance, overdraft, month] = [balanceMicros, overdraftMicros, monthMicros].map(formatDollars);
  printLine(`Balance ${balance}, overdraft ${overdraft}, this month ${month}.`);
}
