/** What using each model costs, in units that people think in. */
import { money } from "../lib/format.ts";
import { Card } from "../ui/page.tsx";
import { Table } from "../ui/table.tsx";
import type { BillingState } from "./billing.tsx";

type Price = BillingState["prices"][number];

/** The catalogue's prices are of a million units. */
const HOURS_PER_MILLION_SECONDS = 1_000_000 / 3600;

const perUnit = ({ unit, unit_price_micros }: Price): string =>
  unit === "character"
    ? `${money(unit_price_micros)} per million characters`
    : `${money(Math.round(unit_price_micros / HOURS_PER_MILLION_SECONDS))} per hour of audio`;

export function Prices({ prices }: { prices: Price[] }) {
  return (
    <Card title="Prices">
      <Table
        caption="Prices by model"
        columns={[
          { name: "Model", of: ({ model }) => <code>{model}</code> },
          { name: "Name", of: ({ name }) => name },
          {
            name: "For",
            of: ({ unit }) => (unit === "character" ? "Text that is spoken" : "Audio that is heard"),
          },
          { name: "Price", of: perUnit },
        ]}
        rows={prices}
        keyOf={({ model, unit }) => `${model} ${unit}`}
        empty="No model has a price: requests cost nothing."
      />
    </Card>
  );
}
