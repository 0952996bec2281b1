/** What models cost: what holds now, and what operators have set, also for later. */
import { useState } from "react";
import { systemClock, unixSeconds } from "../../../clock.ts";
import { useRead, useWrite } from "../../api/queries.ts";
import { dayInUtc } from "../../format/times.ts";
import { UNIT_WORDS, unitPriceText } from "../../format/unit-price.ts";
import { Button } from "../../ui/button.tsx";
import { Badge, Card } from "../../ui/page.tsx";
import { QueryBoundary } from "../../ui/query-boundary.tsx";
import { type Column, Table } from "../../ui/table.tsx";
import { OperatorsOnly } from "../operators-only.tsx";
import { RemoveButton } from "../remove-button.tsx";
import type { ModelPrice } from "./model-price.ts";
import { PriceDialog } from "./price-dialog.tsx";

export function PriceList() {
  return (
    <OperatorsOnly title="Prices">
      <p>
        What models cost at a price factor of 1. A price holds for requests that begin from then on; those of
        organizations with another factor are multiplied by it. Organizations read of a later price on their
        page Billing, and webhooks tell of it 14 days before.
      </p>
      <AllPrices />
    </OperatorsOnly>
  );
}

function AllPrices() {
  const query = useRead("GET /api/operator/prices", {});
  const [edited, setEdited] = useState<ModelPrice | null>(null);
  return (
    <QueryBoundary of={query}>
      {({ data }) => (
        <>
          <Card title="Models">
            <Table
              caption="Prices by model"
              columns={columnsOf(setEdited)}
              rows={data}
              keyOf={({ model }) => model}
              empty="The catalogue has no models."
            />
          </Card>
          <SetPrices models={data} />
          {edited && <PriceDialog model={edited} onClose={() => setEdited(null)} />}
        </>
      )}
    </QueryBoundary>
  );
}

const columnsOf = (onEdit: (model: ModelPrice) => void): Column<ModelPrice>[] => [
  { name: "Model", of: ({ model }) => <code>{model}</code> },
  { name: "Task", of: ({ unit }) => UNIT_WORDS[unit].task },
  { name: "Price", of: unitPriceText },
  {
    name: "Actions",
    isActions: true,
    of: (model) => (
      <Button kind="quiet" aria-label={`Set price of ${model.model}`} onClick={() => onEdit(model)}>
        Set price
      </Button>
    ),
  },
];

type SetPrice = ModelPrice["prices"][number] & Pick<ModelPrice, "unit">;

/** Those that were set, the last one first. */
function SetPrices({ models }: { models: ModelPrice[] }) {
  const remove = useWrite("POST /api/operator/prices/remove");
  const now = unixSeconds(systemClock);
  const rows = models
    .flatMap(({ unit, prices }) => prices.map((price) => ({ ...price, unit })))
    .toSorted((one, other) => other.valid_from - one.valid_from);
  const columns: Column<SetPrice>[] = [
    {
      name: "From (UTC)",
      of: ({ valid_from }) => (
        <>
          {dayInUtc(valid_from)} {valid_from > now && <Badge tone="info">Later</Badge>}
        </>
      ),
    },
    { name: "Model", of: ({ model }) => <code>{model}</code> },
    { name: "Price", of: unitPriceText },
    {
      name: "Actions",
      isActions: true,
      of: ({ model, valid_from }) => (
        <RemoveButton
          name={`the price of ${model} from ${dayInUtc(valid_from)}`}
          remove={() => remove.mutateAsync({ body: { model, valid_from } })}
        >
          What held before it holds again. What was charged stays as it is.
        </RemoveButton>
      ),
    },
  ];
  return (
    <Card title="Set prices">
      <Table
        caption="Prices that were set"
        columns={columns}
        rows={rows}
        keyOf={({ model, valid_from }) => `${model} ${valid_from}`}
        empty="None: the prices of the catalogue hold."
      />
    </Card>
  );
}
