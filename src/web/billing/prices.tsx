/** The price of each model, per million characters or tokens, or per hour of audio, and what it will be. */
import { factorText } from "../format/price-factor.ts";
import { dayInUtc } from "../format/times.ts";
import { UNIT_WORDS, unitPriceText } from "../format/unit-price.ts";
import { Table } from "../ui/table.tsx";
import type { BillingState } from "./payments/billing-state.ts";

type PricesProps = { prices: BillingState["prices"]; factors: BillingState["price_factors"] };

export function Prices({ prices, factors }: PricesProps) {
  const isAtList = factors === null || (factors.price_factor === 1 && factors.next_price_factor === null);
  const changes = prices.flatMap(({ model, unit, next }) => (next ? [{ model, unit, ...next }] : []));
  return (
    <section className="card">
      <details open={changes.length > 0}>
        <summary>Prices</summary>
        {!isAtList && <p>{factorText(factors)} The table shows what you pay now.</p>}
        {changes.map(({ valid_from, ...change }) => (
          <p key={`${change.model} ${change.unit}`}>
            From {dayInUtc(valid_from)} (UTC), <code>{change.model}</code> costs {unitPriceText(change)}.
          </p>
        ))}
        <Table
          caption="Prices by model"
          columns={[
            { name: "Model", of: ({ model }) => <code>{model}</code> },
            { name: "Name", of: ({ name }) => name },
            { name: "Task", of: ({ unit }) => UNIT_WORDS[unit].task },
            { name: "Price", of: unitPriceText },
          ]}
          rows={prices}
          keyOf={({ model, unit }) => `${model} ${unit}`}
          empty="All models are free of charge."
        />
      </details>
    </section>
  );
}
