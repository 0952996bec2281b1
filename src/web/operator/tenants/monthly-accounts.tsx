/** Monthly accounts of the server: what became of the credit of each organization, with a file for bookkeeping. */
import { Link, useSearchParams } from "wouter";
import { useRead } from "../../api/queries.ts";
import type { Reply } from "../../api/server.ts";
import { ExportButtons } from "../../ui/export-buttons.tsx";
import { Money } from "../../ui/money.tsx";
import { Name } from "../../ui/name.tsx";
import { Card } from "../../ui/page.tsx";
import { QueryBoundary } from "../../ui/query-boundary.tsx";
import { type Column, Table } from "../../ui/table.tsx";
import { OperatorsOnly } from "../operators-only.tsx";
import { currentMonth, MonthChoice } from "./month-choice.tsx";

type Accounts = Reply<"GET /api/operator/accounts">;
type Row = Accounts["data"][number];

export function MonthlyAccounts() {
  return (
    <OperatorsOnly title="Monthly accounts">
      <p>
        <Link href="/operator/organizations">All organizations</Link>
      </p>
      <OneMonth />
    </OperatorsOnly>
  );
}

function OneMonth() {
  const [address, setAddress] = useSearchParams();
  const month = address.get("month") ?? currentMonth();
  const query = useRead("GET /api/operator/accounts", { query: { month } }, { keep: true });
  return (
    <Card
      title="Credit by organization"
      actions={
        <>
          <MonthChoice month={month} onChoose={(each) => setAddress({ month: each })} />
          <ExportButtons
            name={`accounts-${month}`}
            isEmpty={!query.data?.data.length}
            rows={() => query.data?.data ?? []}
          />
        </>
      }
    >
      <QueryBoundary of={query}>{(accounts) => <AccountTable accounts={accounts} />}</QueryBoundary>
    </Card>
  );
}

function AccountTable({ accounts: { data, totals } }: { accounts: Accounts }) {
  const all = { organization_id: "", organization_name: null, ...totals };
  return (
    <>
      <Table
        caption="Accounts"
        columns={COLUMNS}
        rows={data.length > 0 ? [...data, all] : []}
        keyOf={({ organization_id }) => organization_id}
        empty="No organization had credit in this month."
      />
      {data.length > 0 && (
        <p className="hint">
          Opening and closing are credit less overdraft. <Money micros={totals.closing_bought_micros} /> of
          bought credit is left when the month closes: deferred income. Files have every column, in micros.
        </p>
      )}
    </>
  );
}

const money = (name: string, micros: (row: Row) => number): Column<Row> => ({
  name,
  numeric: true,
  of: (row) => <Money micros={micros(row)} />,
});

/** By refunds, disputes and corrections, also what was spent before. */
const takenBack = (row: Row): number =>
  row.refunded_bought_micros +
  row.refunded_given_micros +
  row.refunded_overdraft_micros +
  row.corrected_bought_micros +
  row.corrected_given_micros +
  row.corrected_overdraft_micros;

const COLUMNS: Column<Row>[] = [
  {
    name: "Organization",
    of: ({ organization_id: id, organization_name: name }) =>
      id === "" ? (
        <strong>All</strong>
      ) : (
        <Link href={`/operator/organizations/${id}`}>
          <Name of={name ?? id} />
        </Link>
      ),
  },
  money(
    "Opening",
    (row) => row.opening_bought_micros + row.opening_given_micros - row.opening_overdraft_micros,
  ),
  money("Bought", (row) => row.bought_micros),
  money("Tax", (row) => row.tax_micros),
  money("Given", (row) => row.given_micros),
  money("Used", (row) => row.used_bought_micros + row.used_given_micros + row.used_overdraft_micros),
  money("Taken back", takenBack),
  money("Expired", (row) => row.expired_bought_micros + row.expired_given_micros),
  money(
    "Closing",
    (row) => row.closing_bought_micros + row.closing_given_micros - row.closing_overdraft_micros,
  ),
];
