/** The fields of a monthly spending limit: whether there is one, and its amount. */
import { useState } from "react";
import { dollarsOf } from "../format/amount.ts";
import { AmountField, amountIn } from "../ui/form/amount-field.tsx";
import { Check } from "../ui/form/form.tsx";

const NAME = "monthly_spending_limit_micros";

type SpendingLimitFieldsProps = {
  /** Micros; null for none. */
  limit: number | null;
  /** Micros, proposed where there is none. */
  proposed?: number;
};

export function SpendingLimitFields({ limit, proposed }: SpendingLimitFieldsProps) {
  const [isLimited, setLimited] = useState(limit !== null);
  const amount = limit ?? proposed;
  return (
    <>
      <Check
        name="limited"
        label="Limit monthly spending"
        checked={isLimited}
        onChange={(event) => setLimited(event.target.checked)}
      />
      {isLimited && (
        <AmountField name={NAME} label="Limit" defaultValue={amount === undefined ? "" : dollarsOf(amount)} />
      )}
    </>
  );
}

/** The limit in a submitted form, as the management API takes it. */
export const spendingLimitIn = (values: Record<string, string>) => ({
  monthly_spending_limit_micros: values.limited === undefined ? null : amountIn(values, { name: NAME }),
});
