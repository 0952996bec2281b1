/** All organizations of the server, with their plans, credit, spending and limits. */
import { useState } from "react";
import { Link, useSearchParams } from "wouter";
import { useRead } from "../../api/queries.ts";
import { cents, money } from "../../format/dollars.ts";
import { count } from "../../format/numbers.ts";
import { planBadge } from "../../format/plan.ts";
import { Button } from "../../ui/button.tsx";
import { Choice, Field } from "../../ui/form/form.tsx";
import { Name } from "../../ui/name.tsx";
import { Badge, Card } from "../../ui/page.tsx";
import { QueryBoundary } from "../../ui/query-boundary.tsx";
import { type Column, Table } from "../../ui/table.tsx";
import { Day } from "../../ui/time.tsx";
import { OperatorsOnly } from "../operators-only.tsx";
import { NewTenant } from "./new-tenant.tsx";
import { type TenantAction, TenantDialog } from "./tenant-actions.tsx";
import { ORDERS, type Tenant, tenantsOf } from "./tenants.ts";

const EVERY_MS = 10_000;
const ROWS_MAX = 200; // longer tables render slowly; search finds the rest

export function Organizations() {
  return (
    <OperatorsOnly title="Organizations">
      <AllOrganizations />
    </OperatorsOnly>
  );
}

type Action = { dialog: TenantAction; tenant: Tenant };

function AllOrganizations() {
  const query = useRead("GET /api/operator/organizations", {}, { everyMs: EVERY_MS });
  const [address, setAddress] = useSearchParams();
  const [action, setAction] = useState<Action | null>(null);
  const [isCreating, setCreating] = useState(false);
  const search = address.get("search") ?? "";
  const order = address.get("order") ?? "newest";
  const setFilters = (change: Record<string, string>) =>
    setAddress({ ...Object.fromEntries(address), ...change }, { replace: true });
  return (
    <Card
      title="All organizations"
      actions={
        <Button kind="primary" onClick={() => setCreating(true)}>
          New organization
        </Button>
      }
    >
      <search className="tenant-filters">
        <Field
          type="search"
          label="Search"
          placeholder="Name or ID"
          value={search}
          onChange={(event) => setFilters({ search: event.target.value })}
        />
        <Choice label="Sort by" value={order} onChange={(event) => setFilters({ order: event.target.value })}>
          {Object.entries(ORDERS).map(([id, { name }]) => (
            <option key={id} value={id}>
              {name}
            </option>
          ))}
        </Choice>
      </search>
      <QueryBoundary of={query}>
        {({ data }) => (
          <>
            <Results matches={tenantsOf(data, { search, order })} total={data.length} onAction={setAction} />
            <nav className="actions" aria-label="Money">
              <Link href="/operator/business">Business</Link>
              <Link href="/operator/prices">Prices of models</Link>
              {data.some(({ plan }) => plan === "prepaid") && (
                <Link href="/operator/accounts">Monthly accounts</Link>
              )}
            </nav>
          </>
        )}
      </QueryBoundary>
      {action && (
        <TenantDialog action={action.dialog} tenant={action.tenant} onClose={() => setAction(null)} />
      )}
      {isCreating && <NewTenant onClose={() => setCreating(false)} />}
    </Card>
  );
}

type ResultsProps = { matches: Tenant[]; total: number; onAction: (action: Action) => void };

function Results({ matches, total, onAction }: ResultsProps) {
  const rows = matches.slice(0, ROWS_MAX);
  return (
    <>
      <p role="status" className="hint">
        {count(matches.length)} of {count(total)}
        {matches.length > rows.length && `, showing the first ${ROWS_MAX}; search to narrow the list`}
      </p>
      <Table
        caption="Organizations"
        columns={[
          ...COLUMNS,
          {
            name: "Actions",
            isActions: true,
            of: (tenant) => <TenantActions tenant={tenant} onAction={onAction} />,
          },
        ]}
        rows={rows}
        keyOf={({ id }) => id}
        isLinked
        empty="No matching organizations."
      />
    </>
  );
}

const COLUMNS: Column<Tenant>[] = [
  {
    name: "Name",
    of: ({ name, id, status }) => (
      <>
        <Link href={`/operator/organizations/${id}`} className="row-link">
          <strong>
            <Name of={name} />
          </strong>
        </Link>{" "}
        {status !== "active" && <Badge tone="bad">{status}</Badge>}
        <code className="id second-line">{id}</code>
      </>
    ),
  },
  {
    name: "Plan",
    of: (tenant) => (
      <>
        <Badge tone={tenant.tier === "paid" ? "info" : "plain"}>{planBadge(tenant)}</Badge>{" "}
        {tenant.limit_overrides && <Badge>Custom limits</Badge>}
      </>
    ),
  },
  { name: "Members", numeric: true, of: ({ members }) => count(members) },
  {
    name: "Balance",
    numeric: true,
    of: ({ plan, balance_micros, overdraft_micros }) =>
      plan === "prepaid" && (
        <>
          {cents(balance_micros)}
          {overdraft_micros > 0 && <small className="second-line">{cents(overdraft_micros)} overdrawn</small>}
        </>
      ),
  },
  {
    name: "This month",
    numeric: true,
    of: (tenant) => <Month tenant={tenant} />,
  },
  { name: "Created", of: ({ created_at }) => <Day time={created_at} /> },
];

function Month({ tenant }: { tenant: Tenant }) {
  const { plan, month_to_date_micros, month_usage_micros, monthly_spending_limit_micros: limit } = tenant;
  const limited = limit === null ? "no limit" : `of ${money(limit)}`;
  return (
    <>
      {cents(plan === "unmetered" ? month_usage_micros : month_to_date_micros)}
      <small className="second-line">{plan === "unmetered" ? "at list price" : limited}</small>
    </>
  );
}

type ActionsProps = { tenant: Tenant; onAction: (action: Action) => void };

function TenantActions({ tenant, onAction }: ActionsProps) {
  const button = (dialog: TenantAction, name: string, label: string) => (
    <Button kind="quiet" aria-label={`${label} ${tenant.name}`} onClick={() => onAction({ dialog, tenant })}>
      {name}
    </Button>
  );
  return (
    <div className="changes">
      {button("plan", "Plan", "Plan of")}
      {button("limits", "Limits", "Limits of")}
      {tenant.plan === "prepaid" && (
        <>
          {button("spending", "Monthly", "Monthly limit of")}
          {button("credit", "Credit", "Grant credit to")}
        </>
      )}
    </div>
  );
}
