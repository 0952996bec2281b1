/** Grants of credit in the order they are spent, with what remains of each and how long it is good. */

import { dollarsOf } from "../lib/amount.ts";
import { download } from "../lib/export.ts";
import { isoOf, moment, money, span } from "../lib/format.ts";
import { useNow } from "../lib/now.ts";
import { useRead } from "../lib/queries.ts";
import type { Reply } from "../lib/server.ts";
import { useOrganization } from "../lib/session.ts";
import { Button } from "../ui/button.tsx";
import { Badge, Card } from "../ui/page.tsx";
import { QueryBoundary } from "../ui/query-boundary.tsx";
import { type Column, Table } from "../ui/table.tsx";
import { Day } from "../ui/time.tsx";

type Grant = Reply<"GET /api/organizations/:organization/billing/grants">["data"][number];

const EVERY_MS = 2000;
const KINDS = { starting: "Starting credit", purchase: "Bought", adjustment: "Given by the operator" };
const STATUSES = {
  active: <Badge tone="good">Active</Badge>,
  depleted: <Badge>Used up</Badge>,
  expired: <Badge>Expired</Badge>,
};

const COLUMNS: Column<Grant>[] = [
  { name: "Kind", of: ({ kind }) => KINDS[kind] },
  { name: "Status", of: ({ status }) => STATUSES[status] },
  { name: "Expires", of: (grant) => <Expiry grant={grant} /> },
  { name: "Given", of: ({ created_at }) => <Day at={created_at} /> },
  { name: "Amount", numeric: true, of: ({ amount_micros }) => money(amount_micros) },
  { name: "Left", numeric: true, of: (grant) => <Left grant={grant} /> },
];

export function Grants() {
  const { id: organization } = useOrganization();
  const read = useRead(
    "GET /api/organizations/:organization/billing/grants",
    { ids: { organization } },
    { everyMs: EVERY_MS },
  );
  const rows = read.data?.data ?? [];
  return (
    <Card
      title="Grants"
      actions={
        <Button disabled={rows.length === 0} onClick={() => download("grants", "csv", rows.map(exported))}>
          Export CSV
        </Button>
      }
    >
      <p className="hint">Spent from the top down: what expires first goes first.</p>
      <QueryBoundary of={read}>
        {({ data }) => (
          <Table
            caption="Grants of credit, in the order they are spent"
            columns={COLUMNS}
            rows={data}
            keyOf={({ id }) => id}
            empty="No credit was granted yet. Top up, or verify the owner's e-mail address for the starting credit."
          />
        )}
      </QueryBoundary>
    </Card>
  );
}

function Expiry({ grant: { expires_at, status } }: { grant: Grant }) {
  const now = useNow(1000);
  if (expires_at === null) return "Never";
  if (status !== "active") return <Day at={expires_at} />;
  return (
    <span className="one-line" title={moment(expires_at)}>
      in {span(expires_at - now)}
    </span>
  );
}

function Left({ grant: { amount_micros, remaining_micros } }: { grant: Grant }) {
  return (
    <>
      {money(remaining_micros)}
      <progress
        className="bar"
        aria-label="Left of it"
        max={Math.max(amount_micros, 1)}
        value={remaining_micros}
      />
    </>
  );
}

const exported = (grant: Grant) => ({
  id: grant.id,
  kind: grant.kind,
  status: grant.status,
  amount_usd: dollarsOf(grant.amount_micros),
  remaining_usd: dollarsOf(grant.remaining_micros),
  created_at: isoOf(grant.created_at),
  expires_at: grant.expires_at && isoOf(grant.expires_at),
  top_up_id: grant.top_up_id,
});
