/** Whom invoices are made out to, as the payment service keeps it. */
import { useState } from "react";
import { useRead, useWrite } from "../../api/queries.ts";
import type { Reply } from "../../api/server.ts";
import { useHasRole, useOrganization } from "../../api/session.ts";
import { Button } from "../../ui/button.tsx";
import { Field, Form } from "../../ui/form/form.tsx";
import { Saved } from "../../ui/form/saved.tsx";
import { Card } from "../../ui/page.tsx";
import { QueryBoundary } from "../../ui/query-boundary.tsx";

type Details = Reply<"GET /api/organizations/:organization/billing/details">;

const PLACE = [
  ["line1", "Address"],
  ["line2", "Address, second line"],
  ["postal_code", "Postal code"],
  ["city", "City"],
  ["state", "State"],
  ["country", "Country, two letters"],
] as const;

export function BillingDetails() {
  const { id: organization } = useOrganization();
  const query = useRead("GET /api/organizations/:organization/billing/details", { ids: { organization } });
  const isOwner = useHasRole("owner");
  const [isEditing, setEditing] = useState(false);
  return (
    <Card
      title="Billing details"
      actions={
        isOwner && !isEditing && <Button onClick={() => setEditing(true)}>Edit billing details</Button>
      }
    >
      <QueryBoundary of={query}>
        {(details) => (isEditing ? <Fields details={details} /> : <p>{summaryOf(details)}</p>)}
      </QueryBoundary>
    </Card>
  );
}

function summaryOf({ company, email, purchase_order, tax_id, address }: Details): string {
  const { line1, line2, postal_code, city, state, country } = address ?? {};
  const order = purchase_order && `purchase order ${purchase_order}`;
  const parts = [company, line1, line2, postal_code, city, state, country, tax_id?.value, order, email];
  return parts.filter(Boolean).join(", ") || "Invoices have no company, address or tax id yet.";
}

function Fields({ details }: { details: Details }) {
  const { id: organization } = useOrganization();
  const put = useWrite("PUT /api/organizations/:organization/billing/details");
  const save = (values: Record<string, string>) =>
    put.mutateAsync({ ids: { organization }, body: bodyOf(values) });
  return (
    <Form submit="Save billing details" kind="plain" onSubmit={save} actions={<Saved of={put} />}>
      <Field name="company" label="Company" defaultValue={details.company ?? ""} />
      {PLACE.map(([name, label]) => (
        <Field key={name} name={name} label={label} defaultValue={details.address?.[name] ?? ""} />
      ))}
      <Field
        name="tax_id_type"
        label="Kind of tax id, such as eu_vat"
        defaultValue={details.tax_id?.type ?? "eu_vat"}
      />
      <Field name="tax_id" label="Tax id" defaultValue={details.tax_id?.value ?? ""} />
      <Field name="purchase_order" label="Purchase order" defaultValue={details.purchase_order ?? ""} />
      <Field name="email" label="Mail address for invoices" defaultValue={details.email ?? ""} />
    </Form>
  );
}

function bodyOf(values: Record<string, string>) {
  const text = (name: string) => values[name]?.trim() || null;
  const place = (name: string) => (name === "country" ? text(name)?.toUpperCase() : text(name)) ?? null;
  const lines = Object.fromEntries(PLACE.map(([name]) => [name, place(name)]));
  const value = text("tax_id");
  return {
    ...{ company: text("company"), email: text("email"), purchase_order: text("purchase_order") },
    tax_id: value === null ? null : { type: text("tax_id_type") ?? "eu_vat", value },
    address: Object.values(lines).some(Boolean) ? (lines as NonNullable<Details["address"]>) : null,
  };
}
