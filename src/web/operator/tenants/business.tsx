/** The business of the server: income, use, granted and expired credit by month, which organizations used most and which are new. */
import { Link, useSearchParams } from "wouter";
import { useRead } from "../../api/queries.ts";
import type { Reply } from "../../api/server.ts";
import { cents, money } from "../../format/dollars.ts";
import { count, share } from "../../format/numbers.ts";
import { moment } from "../../format/times.ts";
import { ChartPart } from "../../ui/chart/chart-part.tsx";
import { ExportButtons } from "../../ui/export-buttons.tsx";
import { Money } from "../../ui/money.tsx";
import { Name } from "../../ui/name.tsx";
import { Card } from "../../ui/page.tsx";
import { QueryBoundary } from "../../ui/query-boundary.tsx";
import { type Column, Table } from "../../ui/table.tsx";
import { namesOf } from "../../usage/date-range.ts";
import { OperatorsOnly } from "../operators-only.tsx";
import { ReadyToSell } from "../ready-to-sell.tsx";
import { ModelLoad } from "./model-load.tsx";
import { currentMonth, MonthChoice } from "./month-choice.tsx";

type BusinessState = Reply<"GET /api/operator/business">;
type Month = BusinessState["months"][number];
type Used = BusinessState["most"][number];

export function Business() {
  return (
    <OperatorsOnly title="Business">
      <p>
        <Link href="/operator/organizations">All organizations</Link>
      </p>
      <Months />
      <ReadyToSell always />
    </OperatorsOnly>
  );
}

function Months() {
  const [address, setAddress] = useSearchParams();
  const month = address.get("month") ?? currentMonth();
  const query = useRead("GET /api/operator/business", { query: { month } }, { keep: true });
  return (
    <>
      <Card
        title="Twelve months"
        actions={
          <>
            <MonthChoice month={month} onChoose={(each) => setAddress({ month: each })} />
            <ExportButtons
              name={`business-${month}`}
              isEmpty={!query.data}
              rows={() => query.data?.months ?? []}
            />
          </>
        }
      >
        <QueryBoundary of={query}>{(business) => <Course of={business} />}</QueryBoundary>
      </Card>
      {query.data && <Most of={query.data} />}
      {query.data && <ModelLoad of={query.data} />}
      {query.data && <Newest of={query.data} />}
    </>
  );
}

/** A server that sells nothing has no income. */
function Course({ of: { months, sells } }: { of: BusinessState }) {
  return (
    <>
      <div className="activity">
        {sells && <Bars name="Income" months={months} of={(month) => month.income_micros} />}
        <Bars name="Cost of requests" months={months} of={(month) => month.cost_micros} />
      </div>
      <Table
        caption="Months"
        columns={sells ? [...COLUMNS.slice(0, 1), ...INCOME, ...COLUMNS.slice(1)] : COLUMNS}
        rows={months.toReversed()}
        keyOf={({ month }) => month}
        empty="Nothing yet."
      />
      <p className="hint">
        {sells && "Income is bought credit without tax, less refunds and disputes of the month. "}
        Cost counts the requests of all organizations, unmetered ones too; used is the part that was deducted
        from credit. Exports have every column, in micros.
      </p>
    </>
  );
}

/** On the axis of a chart, and in full. */
function monthNames(month: string) {
  const start = Date.parse(month) / 1000;
  return namesOf({ start, end: start }, "month");
}

type BarsProps = { name: string; months: Month[]; of(month: Month): number };

/** The table beside it has the same numbers. The bar of a month with more refunds than payments goes down. */
const Bars = ({ name, months, of }: BarsProps) => (
  <section>
    <h3>{name}</h3>
    <ChartPart
      label={`${name} by month`}
      buckets={months.map(({ month }) => monthNames(month))}
      series={[{ id: name, name, values: months.map(of) }]}
      format={money}
      short={cents}
      height={180}
      isBrief
    />
  </section>
);

const amount = <Row,>(name: string, micros: (row: Row) => number): Column<Row> => ({
  name,
  numeric: true,
  of: (row) => <Money micros={micros(row)} />,
});

const COLUMNS: Column<Month>[] = [
  { name: "Month", of: ({ month }) => month },
  amount("Cost", (month) => month.cost_micros),
  amount("Used", (month) => month.used_micros),
  amount("Given", (month) => month.given_micros),
  amount("Expired", (month) => month.expired_micros),
  { name: "New organizations", numeric: true, of: (month) => count(month.new_organizations) },
];

const INCOME: Column<Month>[] = [
  amount("Income", (month) => month.income_micros),
  amount("Bought", (month) => month.bought_micros),
  amount("Refunded", (month) => month.refunded_micros),
  amount("Tax", (month) => month.tax_micros),
];

function Most({ of: { month, most, compared_until } }: { of: BusinessState }) {
  return (
    <Card
      title={`Most use in ${month}`}
      actions={<ExportButtons name={`most-use-${month}`} isEmpty={most.length === 0} rows={() => most} />}
    >
      <Table
        caption="Most use"
        columns={MOST}
        rows={most}
        keyOf={({ organization_id }) => organization_id}
        empty="No organization used anything in this month."
      />
      <p className="hint">
        The twenty organizations whose requests cost most. Growth is the change of the cost against the month
        before, counted until {moment(compared_until)}.
      </p>
    </Card>
  );
}

const MOST: Column<Used>[] = [
  {
    name: "Organization",
    of: (row) => <Organization id={row.organization_id} name={row.organization_name} />,
  },
  amount("Cost", (row) => row.cost_micros),
  amount("Used", (row) => row.used_micros),
  amount("Month before", (row) => row.before_micros),
  { name: "Growth", numeric: true, of: ({ growth }) => (growth === null ? "new" : growthText(growth)) },
];

const growthText = (growth: number): string =>
  `${growth > 0 ? "+" : growth < 0 ? "−" : ""}${share(Math.abs(growth))}`;

const Organization = ({ id, name }: { id: string; name: string | null }) => (
  <Link href={`/operator/organizations/${id}`}>
    <Name of={name ?? id} />
  </Link>
);

function Newest({ of: { month, newest } }: { of: BusinessState }) {
  if (newest.length === 0) return null;
  return (
    <Card title={`New in ${month}`}>
      <Table
        caption="New organizations"
        columns={NEWEST}
        rows={newest}
        keyOf={({ organization_id }) => organization_id}
        empty=""
      />
    </Card>
  );
}

const NEWEST: Column<BusinessState["newest"][number]>[] = [
  {
    name: "Organization",
    of: (row) => <Organization id={row.organization_id} name={row.organization_name} />,
  },
  { name: "Created", of: ({ created_at }) => moment(created_at) },
];
