/** `loquat accounts`: what became of the credit of each organization in a month. */
import { type Command, Option } from "@commander-js/extra-typings";
import { systemClock, unixSeconds } from "../../clock.ts";
import { csvLine } from "../../csv.ts";
import { MONTH_RULE, microsOf, monthIn, type Statement, totalOf } from "../../ledger/statement.ts";
import { type Amounts, STATEMENT_FIELDS } from "../../statement-fields.ts";
import { withStorage } from "../base/context.ts";
import { type Column, JSON_OPTION, printJson, printTable, UsageError } from "../base/output.ts";
import { formatDollars } from "../base/values.ts";

type Named = Amounts & { id: string; name: string };

const dollars = (title: string, micros: (row: Named) => number): Column<Named> => ({
  title,
  text: (row) => formatDollars(micros(row)),
});

/** By refunds, disputes and corrections, also what was spent before. */
const takenBack = (row: Named): number =>
  row.refunded_bought +
  row.refunded_given +
  row.refunded_overdraft +
  row.corrected_bought +
  row.corrected_given +
  row.corrected_overdraft;

const COLUMNS: Column<Named>[] = [
  { title: "NAME", text: ({ name }) => name, cut: true },
  dollars("OPENING", (row) => row.opening_bought + row.opening_given - row.opening_overdraft),
  dollars("BOUGHT", ({ bought }) => bought),
  dollars("GIVEN", ({ given }) => given),
  dollars("USED", (row) => row.used_bought + row.used_given + row.used_overdraft),
  dollars("TAKEN BACK", takenBack),
  dollars("EXPIRED", (row) => row.expired_bought + row.expired_given),
  dollars("CLOSING", (row) => row.closing_bought + row.closing_given - row.closing_overdraft),
];

export function accounts(command: Command): void {
  command
    .requiredOption("--month <month>", "the month, in UTC, such as 2026-11")
    .addOption(
      new Option("--csv", "print every column in US dollars as comma-separated values").conflicts("json"),
    )
    .option(...JSON_OPTION)
    .action(list);
}

type AccountsOptions = { month: string; csv?: true | undefined; json?: true | undefined };

async function list({ month, csv, json }: AccountsOptions): Promise<void> {
  const asked = monthIn(month, unixSeconds(systemClock));
  if (asked === null) throw new UsageError(`--month ${MONTH_RULE}.`);
  await withStorage(async ({ accounts, ledger }) => {
    const names = new Map((await accounts.listOrganizations()).map(({ id, name }) => [id, name]));
    const nameOf = ({ organizationId: id }: Statement) => names.get(id) ?? id;
    const statements = await ledger.statements(asked);
    const rows = statements.map((one) => ({ ...one, id: one.organizationId, name: nameOf(one) }));
    if (csv) return printCsv(rows);
    if (json)
      return printJson({
        ...{ object: "accounts", month },
        data: rows.map((row) => ({
          organization_id: row.id,
          organization_name: row.name,
          ...microsOf(row),
        })),
        totals: microsOf(totalOf(rows)),
      });
    printTable([...rows, { ...totalOf(rows), id: "", name: "All organizations" }], COLUMNS);
  });
}

function printCsv(rows: Named[]): void {
  const header = ["organization_id", "organization_name", ...STATEMENT_FIELDS.map((field) => `${field}_usd`)];
  process.stdout.write(csvLine(header));
  for (const row of rows)
    process.stdout.write(csvLine([row.id, row.name, ...STATEMENT_FIELDS.map((field) => row[field] / 1e6)]));
}
