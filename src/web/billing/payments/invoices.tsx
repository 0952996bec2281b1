/** Invoices of successful payments, and the state of the others. */

import { useRead } from "../../api/queries.ts";
import type { Reply } from "../../api/server.ts";
import { useHasRole, useOrganization } from "../../api/session.ts";
import { site } from "../../browser/site.ts";
import { dollarsOf } from "../../format/amount.ts";
import { money } from "../../format/dollars.ts";
import { isoOf } from "../../format/times.ts";
import { ExportButtons } from "../../ui/export-buttons.tsx";
import { Badge, Card } from "../../ui/page.tsx";
import { QueryBoundary } from "../../ui/query-boundary.tsx";
import { type Column, Table } from "../../ui/table.tsx";
import { Day } from "../../ui/time.tsx";
import { paymentProblemText } from "./payment-problems.ts";

type Invoice = Reply<"GET /api/organizations/:organization/billing/invoices">["data"][number];
type TopUp = Reply<"GET /api/organizations/:organization/billing/top-ups">["data"][number];

const KINDS = { top_up: "Top-up", auto_recharge: "Auto-recharge" };
const dated = ({ created_at }: { created_at: number }) => <Day time={created_at} />;

export function Invoices() {
  const { id: organization } = useOrganization();
  const query = useRead("GET /api/organizations/:organization/billing/invoices", { ids: { organization } });
  const rows = query.data?.data ?? [];
  return (
    <Card
      title="Invoices"
      actions={
        <ExportButtons
          name="invoices"
          isEmpty={rows.length === 0}
          rows={() => rows.map(exportRow)}
          formats={["csv"]}
        />
      }
    >
      <QueryBoundary of={query}>
        {({ data }) => (
          <Table
            caption="Invoices, newest first"
            columns={columnsOf(organization)}
            rows={data}
            keyOf={({ id }) => id}
            empty="No payments yet."
          />
        )}
      </QueryBoundary>
      <OtherPayments />
    </Card>
  );
}

const columnsOf = (organization: string): Column<Invoice>[] => [
  { name: "Number", of: ({ number }) => number },
  { name: "Date", of: dated },
  { name: "Kind", of: ({ kind }) => KINDS[kind] },
  {
    name: "Status",
    of: ({ status }) => (status === "paid" ? <Badge tone="good">Paid</Badge> : <Badge>Refunded</Badge>),
  },
  { name: "Credit", numeric: true, of: ({ amount_micros }) => money(amount_micros) },
  { name: "Tax", numeric: true, of: ({ tax_micros }) => (tax_micros > 0 ? money(tax_micros) : "–") },
  { name: "Paid", numeric: true, of: ({ total_micros }) => money(total_micros) },
  {
    name: "Refunded",
    numeric: true,
    of: ({ refunded_micros }) => (refunded_micros > 0 ? money(refunded_micros) : "–"),
  },
  {
    name: "Receipt",
    of: ({ id, number, invoice_id, credit_notes }) => (
      <>
        <a
          href={`${site.base}/api/organizations/${organization}/billing/invoices/${id}/receipt`}
          target="_blank"
          rel="noreferrer"
          aria-label={`${invoice_id ? "Invoice" : "Receipt of"} ${number}, in a new tab`}
        >
          {invoice_id ? "Invoice" : "Receipt"}
        </a>
        {credit_notes.map((note) => (
          <span key={note.id}>
            {" · "}
            <a
              href={note.pdf_url}
              target="_blank"
              rel="noreferrer"
              aria-label={`Credit note ${note.number}, in a new tab`}
            >
              Credit note
            </a>
          </span>
        ))}
      </>
    ),
  },
];

const exportRow = (invoice: Invoice) => ({
  number: invoice.number,
  created_at: isoOf(invoice.created_at),
  kind: invoice.kind,
  status: invoice.status,
  amount_usd: dollarsOf(invoice.amount_micros),
  tax_usd: dollarsOf(invoice.tax_micros),
  total_usd: dollarsOf(invoice.total_micros),
  refunded_usd: dollarsOf(invoice.refunded_micros),
  id: invoice.id,
});

/** Abandoned checkouts and failed charges, if there are any. */
function OtherPayments() {
  const { id: organization } = useOrganization();
  const isOwner = useHasRole("owner");
  const { data } = useRead("GET /api/organizations/:organization/billing/top-ups", { ids: { organization } });
  const rows = data?.data.filter(({ status }) => status !== "succeeded") ?? [];
  if (rows.length === 0) return null;
  return (
    <details>
      <summary>Incomplete payments ({rows.length})</summary>
      <Table
        caption="Incomplete payments, newest first"
        columns={[
          { name: "Date", of: dated },
          { name: "Kind", of: ({ kind }) => KINDS[kind] },
          { name: "Amount", numeric: true, of: ({ amount_micros }) => money(amount_micros) },
          { name: "State", of: (topUp) => <State topUp={topUp} isOwner={isOwner} /> },
        ]}
        rows={rows}
        keyOf={({ id }) => id}
        empty={null}
      />
    </details>
  );
}

function State({ topUp: { status, problem, checkout_url }, isOwner }: { topUp: TopUp; isOwner: boolean }) {
  if (status === "expired") return "Expired, not charged";
  if (status === "failed") return problem ? `Failed: ${paymentProblemText(problem)}` : "Failed, not charged";
  return (
    <>
      Not paid yet
      {isOwner && checkout_url && (
        <>
          {" "}
          · <a href={checkout_url}>Continue to checkout</a>
        </>
      )}
    </>
  );
}
