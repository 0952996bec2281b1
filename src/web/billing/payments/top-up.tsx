/** Buys credit at the hosted checkout. */
import { useState } from "react";
import { useWrite } from "../../api/queries.ts";
import { useOrganization } from "../../api/session.ts";
import { microsOf } from "../../format/amount.ts";
import { money } from "../../format/dollars.ts";
import { Button } from "../../ui/button.tsx";
import { AmountField, amountIn } from "../../ui/form/amount-field.tsx";
import { Form } from "../../ui/form/form.tsx";
import { Card } from "../../ui/page.tsx";

const PRESETS = ["5", "20", "50", "100"];
const MIN_MICROS = 5_000_000;
const MAX_MICROS = 1_000_000_000;

export function TopUp() {
  const { id: organization } = useOrganization();
  const start = useWrite("POST /api/organizations/:organization/billing/top-ups");
  const [amount, setAmount] = useState("20");
  async function buy(values: Record<string, string>) {
    const amount_micros = amountIn(values, {
      name: "amount_micros",
      minMicros: MIN_MICROS,
      maxMicros: MAX_MICROS,
      wholeCents: true,
    });
    const { checkout_url } = await start.mutateAsync({ ids: { organization }, body: { amount_micros } });
    if (checkout_url) location.assign(checkout_url);
  }
  return (
    <Card title="Top up">
      <Form submit="Go to checkout" onSubmit={buy}>
        <fieldset className="presets">
          <legend>Amount</legend>
          {PRESETS.map((dollars) => (
            <Button
              key={dollars}
              aria-pressed={microsOf(amount) === microsOf(dollars)}
              onClick={() => setAmount(dollars)}
            >
              ${dollars}
            </Button>
          ))}
        </fieldset>
        <AmountField
          name="amount_micros"
          label="Other amount"
          hint={`From ${money(MIN_MICROS)} to ${money(MAX_MICROS)}, in whole cents. Valid for one year.`}
          value={amount}
          onChange={(event) => setAmount(event.target.value)}
        />
      </Form>
    </Card>
  );
}
