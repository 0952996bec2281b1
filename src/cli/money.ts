/** `loquat credit …`, `usage` and `ledger verify`: what an organization has, what it used, and whether that adds up. */
import { parseArgs } from "node:util";
import { systemClock, unixSeconds } from "../clock.ts";
import { newId } from "../ids.ts";
import { type Grant, isLive } from "../ledger/book.ts";
import { differencesOf } from "../ledger/verify.ts";
import { dollars, organizationOf, readDollars, readExpiry, withBooks } from "./books.ts";
import { printLine, printList, UsageError } from "./output.ts";

const OPTIONS = {
  org: { type: "string" },
  days: { type: "string" },
  json: { type: "boolean", default: false },
} as const;

const COLUMNS = ["id", "kind", "amount_micros", "remaining_micros", "created_at", "expires_at", "status"];

export async function credit(args: string[]): Promise<void> {
  const { values, positionals } = parseArgs({ args, options: OPTIONS, allowPositionals: true });
  const [verb, amount, ...rest] = positionals;
  await withBooks(async (books) => {
    const organizationId = await organizationOf(books, values.org);
    const now = unixSeconds(systemClock);
    if (verb === "history" && !amount) {
      const grants = await books.ledger.grants(organizationId);
      const rows = grants.map((grant) => grantRecord(grant, now));
      return printList(rows, COLUMNS, values.json);
    }
    if (verb === "grant" && amount && rest.length === 0) {
      await books.ledger.grant({
        id: newId("grant", systemClock),
        organizationId,
        kind: "adjustment",
        amountMicros: readDollars("The amount", amount),
        createdAt: now,
        expiresAt: readExpiry(values.days),
        topUpId: null,
      });
    } else if (verb !== "balance" || amount) {
      throw new UsageError("credit takes grant DOLLARS, balance, or history.");
    }
    const { balanceMicros, overdraftMicros, monthMicros } = await books.ledger.credit(organizationId);
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

function grantRecord(grant: Grant, now: number) {
  return {
    id: grant.id,
    object: "credit_grant",
    kind: grant.kind,
    amount_micros: grant.amountMicros,
    remaining_micros: grant.remainingMicros,
    created_at: grant.createdAt,
    expires_at: grant.expiresAt,
    status: grant.remainingMicros === 0 ? "depleted" : isLive(grant, now) ? "active" : "expired",
    top_up_id: grant.topUpId,
  };
}

export async function usage(args: string[]): Promise<void> {
  const { values } = parseArgs({ args, options: OPTIONS });
  await withBooks(async (books) => {
    const organizationId = await organizationOf(books, values.org);
    const { requests, characters, audioSeconds, costMicros } = await books.ledger.totals(organizationId);
    const totals = { requests, characters, audio_seconds: audioSeconds, cost_micros: costMicros };
    printLine(
      values.json
        ? JSON.stringify({ organization_id: organizationId, ...totals }, null, 2)
        : `${requests} requests billed: ${characters} characters, ${audioSeconds} s of audio, ${dollars(costMicros)}.`,
    );
  });
}

/** Fails where anything differs. */
export async function ledger(args: string[]): Promise<void> {
  const { values, positionals } = parseArgs({ args, options: OPTIONS, allowPositionals: true });
  if (positionals.join(" ") !== "verify") throw new UsageError("ledger takes one word: verify.");
  const audit = await withBooks((books) => books.ledger.audit());
  const found = differencesOf(audit);
  if (values.json || found.length > 0) printList(found, ["of", "what", "stored", "computed"], values.json);
  else printLine(`${audit.accounts.length} accounts and ${audit.grants.length} grants add up.`);
  if (found.length > 0) process.exitCode = 1;
}
