/** The price of each model, per million characters or tokens, or per hour of audio. */
import { money } from "../format/dollars.ts";
import { factorText } from "../format/price-factor.ts";
import { Table } from "../ui/table.tsx";
import type { BillingState } from "./payments/billing-state.ts";

type Price = BillingState["prices"][number];

/** The catalogue's prices are per million units. */
const HOURS_PER_MILLION_SECONDS = 1_000_000 / 3600;

/** What is done at the price, and the price. */
const UNITS: Record<Price["unit"], { task: string; priceOf: (micros: number) => string }> = {
  character: { task: "Text to speech", priceOf: (micros) => `${money(micros)} per million characters` },
  second: {
    task: "Speech to text",
    priceOf: (micros) => `${money(Math.round(micros / HOURS_PER_MILLION_SECONDS))} per hour of audio`,
  },
  input_token: {
    task: "Language model, reading",
    priceOf: (micros) => `${money(micros)} per million tokens`,
  },
  output_token: {
    task: "Language model, writing",
    priceOf: (micros) => `${money(micros)} per million tokens`,
  },
};

/** With that of work in the background where it is another one. */
function priceText({ unit, unit_price_micros: micros, background_unit_price_micros: background }: Price) {
  const { priceOf } = UNITS[unit];
  if (background === undefined || background === micros) return priceOf(micros);
  return `${priceOf(micros)}, ${priceOf(background)} in the background`;
}

type PricesProps = { prices: Price[]; factors: BillingState["price_factors"] };

export function Prices({ prices, factors }: PricesProps) {
  const isAtList = factors === null || (factors.price_factor === 1 && factors.next_price_factor === null);
  return (
    <section className="card">
      <details>
        <summary>Prices</summary>
        {!isAtList && <p>{factorText(factors)} The table shows what you pay now.</p>}
        <Table
          caption="Prices by model"
          columns={[
            { name: "Model", of: ({ model }) => <code>{model}</code> },
            { name: "Name", of: ({ name }) => name },
            { name: "Task", of: ({ unit }) => UNITS[unit].task },
            { name: "Price", of: priceText },
          ]}
          rows={prices}
          keyOf={({ model, unit }) => `${model} ${unit}`}
          empty="All models are free of charge."
        />
      </details>
    </section>
  );
}
