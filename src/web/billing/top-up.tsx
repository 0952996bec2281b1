/** Buying credit: an amount, then on to the hosted checkout. */
import { useState } from "react";
import { microsOf } from "../lib/amount.ts";
import { useWrite } from "../lib/queries.ts";
import { useOrganization } from "../lib/session.ts";
import { Button } from "../ui/button.tsx";
import { AmountField, amountIn } from "../ui/form/amount-field.tsx";
import { Form } from "../ui/form/form.tsx";
import { Card } from "../ui/page.tsx";

const PRESETS = ["5", "20", "50", "100"];
const LEAST_MICROS = 5_000_000;
const MOST_MICROS = 1_000_000_000;

export function TopUp() {
  const { id: organization } = useOrganization();
  const start = useWrite("POST /api/organizations/:organization/billing/top-ups");
  const [typed, setTyped] = useState("20");
  async function buy(values: Record<string, string>) {
    const amount_micros = amountIn(values, {
      name: "amount_micros",
      least: LEAST_MICROS,
      most: MOST_MICROS,
      wholeCents: true,
    });
    const { checkout_url } = await start.mutateAsync({ ids: { organization }, body: { amount_micros } });
    if (checkout_url) location.assign(checkout_url);
  }
  return (
    <Card title="Top up">
      <Form submit="Go to checkout" onSubmit={buy}>
        <fieldset className="presets">
          <legend>Choose an amount</legend>
          {PRESETS.map((dollars) => (
            <Button
              key={dollars}
              aria-pressed={microsOf(typed) === microsOf(dollars)}
              onClick={() => setTyped(dollars)}
            >
              ${dollars}
            </Button>
          ))}
        </fieldset>
        <AmountField
          name="amount_micros"
          label="Or type one"
          hint="From $5 to $1000, in whole cents. It is good for a year."
          value={typed}
          onChange={(event) => setTyped(event.target.value)}
        />
      </Form>
    </Card>
  );
}
