/** The limit on spending per calendar month. */
import { useState } from "react";
import { dollarsOf } from "../lib/amount.ts";
import { money } from "../lib/format.ts";
import { useWrite } from "../lib/queries.ts";
import { useHasRole, useOrganization } from "../lib/session.ts";
import { Button } from "../ui/button.tsx";
import { AmountField, amountIn } from "../ui/form/amount-field.tsx";
import { Check, Form } from "../ui/form/form.tsx";
import { Saved } from "../ui/form/saved.tsx";
import { Card } from "../ui/page.tsx";

const DEFAULT_MICROS = 100_000_000;

/** One line, until an owner edits it. */
export function SpendingLimit({ limit }: { limit: number | null }) {
  const isOwner = useHasRole("owner");
  const [isEditing, setEditing] = useState(false);
  return (
    <Card
      title="Monthly spending limit"
      actions={isOwner && !isEditing && <Button onClick={() => setEditing(true)}>Edit spending limit</Button>}
    >
      <p>
        {limit === null
          ? "No limit: requests are served as long as there is credit."
          : `Once ${money(limit)} have been spent in a month, requests are rejected until the next one, even with credit left.`}{" "}
        Months are in UTC.
      </p>
      {isOwner && isEditing && <Settings limit={limit} />}
      {!isOwner && <small>Only owners can change it.</small>}
    </Card>
  );
}

function Settings({ limit }: { limit: number | null }) {
  const { id: organization } = useOrganization();
  const put = useWrite("PUT /api/organizations/:organization/billing/spending-limit");
  const [isLimited, setLimited] = useState(limit !== null);
  const save = async (values: Record<string, string>) => {
    const name = "monthly_spending_limit_micros";
    const monthly_spending_limit_micros = isLimited ? amountIn(values, { name }) : null;
    await put.mutateAsync({ ids: { organization }, body: { monthly_spending_limit_micros } });
  };
  return (
    <Form submit="Save limit" kind="plain" onSubmit={save} actions={<Saved of={put} />}>
      <Check
        name="limited"
        label="Limit monthly spending"
        checked={isLimited}
        onChange={(event) => setLimited(event.target.checked)}
      />
      {isLimited && (
        <AmountField
          name="monthly_spending_limit_micros"
          label="Limit"
          defaultValue={dollarsOf(limit ?? DEFAULT_MICROS)}
        />
      )}
    </Form>
  );
}
