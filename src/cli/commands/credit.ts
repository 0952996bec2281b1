/** `loquat credit`: grants, balances and their history. */
import type { Command } from "@commander-js/extra-typings";
import { systemClock, unixSeconds } from "../../clock.ts";
import { giveCredit, takeCredit } from "../../ledger/adjustment.ts";
import { grantRecord } from "../../ledger/booking/grant-record.ts";
import type { Storage } from "../../server/storage.ts";
import { ORG_OPTION, organizationOf, withStorage } from "../base/context.ts";
import { type Column, JSON_OPTION, printJson, printLine, printList, UsageError } from "../base/output.ts";
import { dollarAmount, formatDollars, formatTime, reasonText, wholeNumber } from "../base/values.ts";
import { creditCodes } from "./credit-codes.ts";

const COLUMNS: Column<ReturnType<typeof grantRecord>>[] = [
  { title: "GRANTED", text: ({ created_at }) => formatTime(created_at) },
  "kind",
  { title: "AMOUNT", text: ({ amount_micros }) => formatDollars(amount_micros) },
  { title: "REMAINING", text: ({ remaining_micros }) => formatDollars(remaining_micros) },
  { title: "EXPIRES", text: ({ expires_at }) => formatTime(expires_at) ?? "never" },
  "status",
];

export function credit(command: Command): void {
  creditCodes(command.command("codes").description("Voucher codes that organizations redeem for credit"));
  command
    .command("grant")
    .description("Grant credit and print the balance")
    .argument("<dollars>", "the amount, such as 5 or 2.50", dollarAmount)
    .option(...ORG_OPTION)
    .option("--days <days>", "days until it expires (default: never)", wholeNumber)
    .option("--reason <text>", "why, as the organization reads it", reasonText)
    .option("--idempotency-key <key>", "repeating a grant with this key changes nothing")
    .option(...JSON_OPTION)
    .action(grant);
  command
    .command("revoke")
    .description("Take credit of a grant back and print the balance")
    .argument("<grant>", "the id of the grant, from 'loquat credit history --json'")
    .requiredOption("--reason <text>", "why, as the organization reads it", reasonText)
    .option("--amount <dollars>", "how much (default: all that remains of the grant)", dollarAmount)
    .option("--overdraft", "also what was spent already: the organization then owes it")
    .option(...ORG_OPTION)
    .option("--idempotency-key <key>", "repeating it with this key changes nothing")
    .option(...JSON_OPTION)
    .action(revoke);
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
        const organizationId = await organizationOf(storage, org);
        const grants = await storage.ledger.grants(organizationId);
        const reversals = await storage.ledger.reversals(organizationId);
        const now = unixSeconds(systemClock);
        printList(
          grants.map((each) => grantRecord(each, { now, reversals })),
          { columns: COLUMNS, json },
        );
      }),
    );
}

type GrantOptions = {
  org?: string | undefined;
  days?: number | undefined;
  reason?: string | undefined;
  idempotencyKey?: string | undefined;
  json?: true | undefined;
};

async function grant(
  amountMicros: number,
  { org, days, reason, idempotencyKey, json }: GrantOptions,
): Promise<void> {
  await withStorage(async (storage) => {
    const organizationId = await organizationOf(storage, org);
    const adjustment = {
      organizationId,
      amountMicros,
      days: days ?? null,
      reason: reason ?? null,
      idempotencyKey: idempotencyKey || null,
    };
    const isGranted = await giveCredit(storage.ledger, adjustment, {
      clock: systemClock,
      audit: storage.audit,
    });
    if (!isGranted)
      throw new UsageError("This --idempotency-key was used for a different grant. Use another one.");
    await printBalance(storage, organizationId, json);
  });
}

type RevokeOptions = {
  reason: string;
  amount?: number | undefined;
  overdraft?: true | undefined;
  org?: string | undefined;
  idempotencyKey?: string | undefined;
  json?: true | undefined;
};

async function revoke(grantId: string, { reason, amount, overdraft, ...rest }: RevokeOptions): Promise<void> {
  const { org, idempotencyKey, json } = rest;
  await withStorage(async (storage) => {
    const organizationId = await organizationOf(storage, org);
    const amountMicros = amount ?? null;
    const taken = { organizationId, grantId, amountMicros, reason, overdraft: overdraft === true };
    await takeCredit(
      storage.ledger,
      { ...taken, idempotencyKey: idempotencyKey || null },
      { clock: systemClock, audit: storage.audit },
    );
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
