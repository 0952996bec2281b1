/** Every organization of this server: its credit, its month, and the limits that the operator gives it. */
import "../style/operator.css";
import { useState } from "react";
import { useSearchParams } from "wouter";
import { cents, count, money } from "../lib/format.ts";
import { useRead } from "../lib/queries.ts";
import { Button } from "../ui/button.tsx";
import { Choice, Field } from "../ui/form/form.tsx";
import { Badge, Card } from "../ui/page.tsx";
import { QueryBoundary } from "../ui/query-boundary.tsx";
import { type Column, Table } from "../ui/table.tsx";
import { Day } from "../ui/time.tsx";
import { OperatorsOnly } from "./operators-only.tsx";
import { CreditDialog, LimitsDialog, SpendingDialog } from "./tenant-dialogs.tsx";
import { ORDERS, type Tenant, tenantsOf } from "./tenants.ts";

const EVERY_MS = 10_000;
const SHOWN_MAX = 200; // a page of more is slow to draw; the search finds the rest

export function Organizations() {
  return (
    <OperatorsOnly title="Organizations">
      <Every />
    </OperatorsOnly>
  );
}

type Doing = { what: keyof typeof DIALOGS; tenant: Tenant };
const DIALOGS = { limits: LimitsDialog, spending: SpendingDialog, credit: CreditDialog };

function Every() {
  const read = useRead("GET /api/operator/organizations", {}, { everyMs: EVERY_MS });
  const [address, setAddress] = useSearchParams();
  const [doing, setDoing] = useState<Doing | null>(null);
  const Shown = doing && DIALOGS[doing.what];
  const search = address.get("search") ?? "";
  const order = address.get("order") ?? "newest";
  const show = (change: Record<string, string>) =>
    setAddress({ ...Object.fromEntries(address), ...change }, { replace: true });
  return (
    <Card title="Every organization">
      <search className="tenant-filters">
        <Field
          type="search"
          label="Search"
          placeholder="Name or id"
          value={search}
          onChange={(event) => show({ search: event.target.value })}
        />
        <Choice label="Order" value={order} onChange={(event) => show({ order: event.target.value })}>
          {Object.entries(ORDERS).map(([id, { name }]) => (
            <option key={id} value={id}>
              {name}
            </option>
          ))}
        </Choice>
      </search>
      <QueryBoundary of={read}>
        {({ data }) => <Found found={tenantsOf(data, { search, order })} all={data.length} onDo={setDoing} />}
      </QueryBoundary>
      {doing && Shown && <Shown tenant={doing.tenant} onClose={() => setDoing(null)} />}
    </Card>
  );
}

type FoundProps = { found: Tenant[]; all: number; onDo: (doing: Doing) => void };

function Found({ found, all, onDo }: FoundProps) {
  const shown = found.slice(0, SHOWN_MAX);
  return (
    <>
      <p role="status" className="hint">
        {count(found.length)} of {count(all)}
        {found.length > shown.length && `, the first ${SHOWN_MAX} shown: search for the others`}
      </p>
      <Table
        caption="Organizations"
        columns={[...COLUMNS, { name: "Change", of: (tenant) => <Changes tenant={tenant} onDo={onDo} /> }]}
        rows={shown}
        keyOf={({ id }) => id}
        empty="No organization has that name or id."
      />
    </>
  );
}

const COLUMNS: Column<Tenant>[] = [
  {
    name: "Name",
    of: ({ name, id }) => (
      <>
        {name}
        <br />
        <code className="id">{id}</code>
      </>
    ),
  },
  {
    name: "Tier",
    of: ({ tier, limit_overrides }) => (
      <>
        {tier === "paid" ? "Paid" : "Free"} {limit_overrides && <Badge>Own limits</Badge>}
      </>
    ),
  },
  { name: "Members", numeric: true, of: ({ members }) => count(members) },
  {
    name: "Balance",
    numeric: true,
    of: ({ balance_micros, overdraft_micros }) => (
      <>
        {cents(balance_micros)}
        {overdraft_micros > 0 && <small className="second-line">{cents(overdraft_micros)} overdrawn</small>}
      </>
    ),
  },
  {
    name: "This month",
    numeric: true,
    of: ({ month_to_date_micros, monthly_spending_limit_micros: limit }) => (
      <>
        {cents(month_to_date_micros)}
        <small className="second-line">{limit === null ? "no limit" : `of ${money(limit)}`}</small>
      </>
    ),
  },
  { name: "Since", of: ({ created_at }) => <Day at={created_at} /> },
];

function Changes({ tenant, onDo }: { tenant: Tenant; onDo: (doing: Doing) => void }) {
  return (
    <div className="row-actions">
      <Button
        kind="quiet"
        aria-label={`Limits of ${tenant.name}`}
        onClick={() => onDo({ what: "limits", tenant })}
      >
        Limits
      </Button>
      <Button
        kind="quiet"
        aria-label={`Monthly limit of ${tenant.name}`}
        onClick={() => onDo({ what: "spending", tenant })}
      >
        Monthly
      </Button>
      <Button
        kind="quiet"
        aria-label={`Give credit to ${tenant.name}`}
        onClick={() => onDo({ what: "credit", tenant })}
      >
        Credit
      </Button>
    </div>
  );
}
