/** The price of each model, per million characters or per hour of audio. */
import { money } from "../format/dollars.ts";
import { Table } from "../ui/table.tsx";
import type { BillingState } from "./payments/billing-state.ts";

type Price = BillingState["prices"][number];

/** The catalogue's prices are per million units. */
const HOURS_PER_MILLION_SECONDS = 1_000_000 / 3600;

const perUnit = ({ unit, unit_price_micros }: Price): string =>
  unit === "character"
    ? `${money(unit_price_micros)} per million characters`
    : `${money(Math.round(unit_price_micros / HOURS_PER_MILLION_SECONDS))} per hour of audio`;

export function Prices({ prices }: { prices: Price[] }) {
  return (
    <section className="card">
      <details>
        <summary>Prices</summary>
        <Table
          caption="Prices by model"
          columns={[
            { name: "Model", of: ({ model }) => <code>{model}</code> },
            { name: "Name", of: ({ name }) => name },
            {
              name: "Task",
              of: ({ unit }) => (unit === "character" ? "Text to speech" : "Speech to text"),
            },
            { name: "Price", of: perUnit },
          ]}
          rows={prices}
          keyOf={({ model, unit }) => `${model} ${unit}`}
          empty="All models are free of charge."
        />
      </details>
    </section>
  );
}
