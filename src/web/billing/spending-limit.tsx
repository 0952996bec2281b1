/** What a calendar month may cost. */
import { useState } from "react";
import { dollarsOf } from "../lib/amount.ts";
import { money } from "../lib/format.ts";
import { useWrite } from "../lib/queries.ts";
import { useHasRole, useOrganization } from "../lib/session.ts";
import { AmountField, amountIn } from "../ui/form/amount-field.tsx";
import { Check, Form } from "../ui/form/form.tsx";
import { Saved } from "../ui/form/saved.tsx";
import { Card } from "../ui/page.tsx";

const DEFAULT_MICROS = 100_000_000;

export function SpendingLimit({ limit }: { limit: number | null }) {
  return (
    <Card title="Monthly spending limit">
      <p>
        {limit === null
          ? "There is none: requests are served as long as there is credit."
          : `Once a month has cost ${money(limit)}, requests are refused until it ends, even with credit left.`}{" "}
        Months are UTC.
      </p>
      {useHasRole("owner") ? <Settings limit={limit} /> : <small>Owners can change it.</small>}
    </Card>
  );
}

function Settings({ limit }: { limit: number | null }) {
  const { id: organization } = useOrganization();
  const put = useWrite("PUT /api/organizations/:organization/billing/spending-limit");
  const [limited, setLimited] = useState(limit !== null);
  const save = async (values: Record<string, string>) => {
    const name = "monthly_spending_limit_micros";
    const monthly_spending_limit_micros = limited ? amountIn(values, { name }) : null;
    await put.mutateAsync({ ids: { organization }, body: { monthly_spending_limit_micros } });
  };
  return (
    <Form submit="Save limit" onSubmit={save} actions={<Saved of={put} />}>
      <Check
        name="limited"
        label="Limit what a month may cost"
        checked={limited}
        onChange={(event) => setLimited(event.target.checked)}
      />
      {limited && (
        <AmountField
          name="monthly_spending_limit_micros"
          label="Limit"
          defaultValue={dollarsOf(limit ?? DEFAULT_MICROS)}
        />
      )}
    </Form>
  );
}
