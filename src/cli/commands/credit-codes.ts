/** `loquat credit codes`: voucher codes that organizations redeem for credit. */
import type { Command } from "@commander-js/extra-typings";
import { voucherRecord } from "../../billing/voucher-record.ts";
import { openVoucherStore } from "../../billing/vouchers.ts";
import { systemClock, unixSeconds } from "../../clock.ts";
import { withStorage } from "../base/context.ts";
import { type Column, JSON_OPTION, printJson, printLine, printList, UsageError } from "../base/output.ts";
import { dollarAmount, formatDollars, formatTime, wholeNumber } from "../base/values.ts";

const CODES_MAX = 1000;
const CENT_MICROS = 10_000;

const COLUMNS: Column<ReturnType<typeof voucherRecord>>[] = [
  "id",
  { title: "AMOUNT", text: ({ amount_micros }) => formatDollars(amount_micros) },
  "status",
  { title: "EXPIRES", text: ({ expires_at }) => formatTime(expires_at) ?? "never" },
  { title: "REDEEMED BY", text: ({ redeemed_by }) => redeemed_by ?? "" },
];

export function creditCodes(command: Command): void {
  command
    .command("create")
    .description("Create codes, printed this once")
    .requiredOption("--amount <dollars>", "the credit of each, such as 5 or 2.50", dollarAmount)
    .option("--count <count>", "how many", wholeNumber, 1)
    .option(
      "--days <days>",
      "days to redeem it, and days that its credit lasts (default: forever)",
      wholeNumber,
    )
    .option(...JSON_OPTION)
    .action(create);
  command
    .command("list")
    .description("List codes, without the codes themselves")
    .option(...JSON_OPTION)
    .action(({ json }) =>
      withStorage(async ({ database }) => {
        const now = unixSeconds(systemClock);
        const all = await openVoucherStore({ database, clock: systemClock }).list();
        printList(
          all.map((voucher) => voucherRecord(voucher, now)),
          { columns: COLUMNS, json },
        );
      }),
    );
  command
    .command("void")
    .description("Void a code that was not redeemed")
    .argument("<id>", "the id of the code, from 'loquat credit codes list'")
    .action((id) =>
      withStorage(async ({ database }) => {
        await openVoucherStore({ database, clock: systemClock }).void(id);
        printLine(`${id} is void.`);
      }),
    );
}

type CreateOptions = { amount: number; count: number; days?: number | undefined; json?: true | undefined };

async function create({ amount, count, days, json }: CreateOptions): Promise<void> {
  if (count < 1 || count > CODES_MAX) throw new UsageError(`--count must be 1 to ${CODES_MAX}.`);
  if (amount < CENT_MICROS || amount % CENT_MICROS !== 0)
    throw new UsageError("--amount must be whole cents, one at least.");
  await withStorage(async ({ database }) => {
    const vouchers = openVoucherStore({ database, clock: systemClock });
    const wanted = { amountMicros: amount, count, days: days ?? null, createdBy: null };
    const made = await vouchers.create(wanted);
    const now = unixSeconds(systemClock);
    if (json) return printJson(made.map(({ code, ...one }) => ({ ...voucherRecord(one, now), code })));
    for (const { code } of made) printLine(code);
  });
}
