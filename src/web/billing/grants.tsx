/** Credit grants in the order they are spent, with their remaining amount and expiry. */

import { useRead } from "../api/queries.ts";
import type { Reply } from "../api/server.ts";
import { useOrganization } from "../api/session.ts";
import { useNow } from "../browser/now.ts";
import { dollarsOf } from "../format/amount.ts";
import { isoOf, moment, span } from "../format/times.ts";
import { ExportButtons } from "../ui/export-buttons.tsx";
import { Money } from "../ui/money.tsx";
import { Badge, Card } from "../ui/page.tsx";
import { QueryBoundary } from "../ui/query-boundary.tsx";
import { type Column, Table } from "../ui/table.tsx";
import { Day } from "../ui/time.tsx";

type Grant = Reply<"GET /api/organizations/:organization/billing/grants">["data"][number];

const EVERY_MS = 2000;
const KINDS = {
  starting: "Starting credit",
  purchase: "Purchase",
  adjustment: "Granted by the operator",
  voucher: "Voucher",
};
const STATUSES = {
  active: <Badge tone="good">Active</Badge>,
  depleted: <Badge>Depleted</Badge>,
  expired: <Badge>Expired</Badge>,
};

const COLUMNS: Column<Grant>[] = [
  { name: "Kind", of: (grant) => <Kind grant={grant} /> },
  { name: "Status", phone: "side", of: ({ status }) => STATUSES[status] },
  { name: "Expires", of: (grant) => <Expiry grant={grant} /> },
  { name: "Granted", of: ({ created_at }) => <Day time={created_at} /> },
  { name: "Amount", numeric: true, of: ({ amount_micros }) => <Money micros={amount_micros} /> },
  { name: "Remaining", numeric: true, of: (grant) => <Remaining grant={grant} /> },
];

export function Grants({ payments }: { payments: boolean }) {
  const { id: organization } = useOrganization();
  const query = useRead(
    "GET /api/organizations/:organization/billing/grants",
    { ids: { organization } },
    { everyMs: EVERY_MS },
  );
  const rows = query.data?.data ?? [];
  return (
    <Card
      title="Grants"
      actions={
        <ExportButtons
          name="grants"
          isEmpty={rows.length === 0}
          rows={() => rows.map(exportRow)}
          formats={["csv"]}
        />
      }
    >
      <p className="hint">Spent from top to bottom: credit that expires first is used first.</p>
      <QueryBoundary of={query}>
        {({ data }) => (
          <GrantTable
            grants={data}
            empty={payments ? "No credit yet. An owner can top up." : "No credit yet."}
          />
        )}
      </QueryBoundary>
    </Card>
  );
}

/** The grants of an organization, for its members and for the operator. */
export const GrantTable = ({ grants, empty, more = [] }: GrantTableProps) => (
  <Table
    caption="Credit grants"
    columns={[...COLUMNS, ...more]}
    rows={grants}
    keyOf={({ id }) => id}
    empty={empty}
  />
);

/** `more`: columns of the operator's. */
type GrantTableProps = { grants: Grant[]; empty: string; more?: Column<Grant>[] };

const REVERSALS = { refund: "refunded", dispute: "disputed", correction: "taken back by the operator" };

/** Where it comes from, why, and what was taken back of it. */
const Kind = ({ grant: { kind, reason, reversals } }: { grant: Grant }) => (
  <>
    {KINDS[kind]}
    {reason && <span className="second-line">{reason}</span>}
    {reversals.map(({ id, kind, amount_micros, reason }) => (
      <span className="second-line" key={id}>
        <Money micros={amount_micros} /> {REVERSALS[kind]}
        {reason && `: ${reason}`}
      </span>
    ))}
  </>
);

function Expiry({ grant: { expires_at, status } }: { grant: Grant }) {
  const now = useNow(1000);
  if (expires_at === null) return "Never";
  if (status !== "active") return <Day time={expires_at} />;
  return (
    <span className="one-line" title={moment(expires_at)}>
      in {span(expires_at - now)}
    </span>
  );
}

/** What is left of an expired grant cannot be spent. */
function Remaining({ grant: { amount_micros, remaining_micros, status } }: { grant: Grant }) {
  if (status === "expired")
    return (
      <small>
        <Money micros={remaining_micros} /> expired
      </small>
    );
  return (
    <>
      <Money micros={remaining_micros} />
      <progress
        className="bar"
        aria-label="Remaining amount"
        max={Math.max(amount_micros, 1)}
        value={remaining_micros}
      />
    </>
  );
}

const exportRow = (grant: Grant) => ({
  id: grant.id,
  kind: grant.kind,
  status: grant.status,
  amount_usd: dollarsOf(grant.amount_micros),
  remaining_usd: dollarsOf(grant.remaining_micros),
  created_at: isoOf(grant.created_at),
  expires_at: grant.expires_at && isoOf(grant.expires_at),
  top_up_id: grant.top_up_id,
  reason: grant.reason,
  taken_back_usd: dollarsOf(grant.reversals.reduce((sum, { amount_micros }) => sum + amount_micros, 0)),
});
