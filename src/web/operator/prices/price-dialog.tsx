/** The dialog for the price of a model: how much, and from when on. */
import { useWrite } from "../../api/queries.ts";
import { dollarsOf } from "../../format/amount.ts";
import { millionMicros, shownMicros, UNIT_WORDS, unitPriceText } from "../../format/unit-price.ts";
import { AmountField, amountIn } from "../../ui/form/amount-field.tsx";
import { Field } from "../../ui/form/form.tsx";
import { FormDialog } from "../../ui/form/form-dialog.tsx";
import type { ModelPrice } from "./model-price.ts";

type PriceDialogProps = { model: ModelPrice; onClose: () => void };

const BACKGROUND = "background_unit_price_micros";

export function PriceDialog({ model: { model, name, unit, ...price }, onClose }: PriceDialogProps) {
  const set = useWrite("PUT /api/operator/prices");
  const micros = (values: Record<string, string>, field: string) =>
    millionMicros(unit, amountIn(values, { name: field }));
  async function save({ valid_from, ...values }: Record<string, string>) {
    const from = valid_from ? Date.parse(valid_from) / 1000 : null; // midnight UTC
    await set.mutateAsync({
      body: {
        ...{ model, valid_from: from },
        unit_price_micros: micros(values, "unit_price_micros"),
        [BACKGROUND]: values[BACKGROUND]?.trim() ? micros(values, BACKGROUND) : null,
      },
    });
  }
  return (
    <FormDialog title={`Price of ${name}`} onClose={onClose} submit="Save price" onSubmit={save}>
      <p>Now: {unitPriceText({ unit, ...price })}.</p>
      <AmountField
        name="unit_price_micros"
        label={`Price per ${UNIT_WORDS[unit].amount}`}
        defaultValue={dollarsOf(shownMicros(unit, price.unit_price_micros))}
      />
      <AmountField
        name={BACKGROUND}
        label="In the background"
        hint="Of jobs and batches. Leave empty for the same price."
        required={false}
      />
      <Field
        name="valid_from"
        label="From (UTC)"
        hint="Leave empty for a price that holds at once."
        type="date"
      />
    </FormDialog>
  );
}
