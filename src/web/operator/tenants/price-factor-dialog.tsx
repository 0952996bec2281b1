/** The dialog for the price factor of an organization: by what list prices are multiplied, and from when on. */
import { useWrite } from "../../api/queries.ts";
import { factorText } from "../../format/price-factor.ts";
import { Field } from "../../ui/form/form.tsx";
import { FormDialog } from "../../ui/form/form-dialog.tsx";
import type { Tenant } from "./tenants.ts";

type PriceFactorDialogProps = { tenant: Tenant; onClose: () => void };

export function PriceFactorDialog({ tenant, onClose }: PriceFactorDialogProps) {
  const change = useWrite("PATCH /api/operator/organizations/:tenant");
  async function save({ price_factor, price_factor_from }: Record<string, string>) {
    const from = price_factor_from ? Date.parse(price_factor_from) / 1000 : null; // midnight UTC
    const body = { price_factor: Number(price_factor), price_factor_from: from };
    await change.mutateAsync({ ids: { tenant: tenant.id }, body });
  }
  return (
    <FormDialog title={`Prices of ${tenant.name}`} onClose={onClose} submit="Save prices" onSubmit={save}>
      <p>{factorText(tenant)}</p>
      <Field
        name="price_factor"
        label="Price factor"
        hint="List prices are multiplied by it: 0.8 is 20% less, 0 is a gift."
        type="number"
        min={0}
        max={10}
        step={0.0001}
        required
        defaultValue={tenant.next_price_factor ?? tenant.price_factor}
      />
      <Field
        name="price_factor_from"
        label="From (UTC)"
        hint="Leave empty for a factor that holds at once. What was charged stays as it is."
        type="date"
      />
    </FormDialog>
  );
}
