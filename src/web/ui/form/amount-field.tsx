/** A field for dollars, and what was typed there as micros; what is no such amount is said at the field. */
import type { ComponentProps } from "react";
import { microsOf, problemOf } from "../../lib/amount.ts";
import { ServerError } from "../../lib/server.ts";
import { Field } from "./form.tsx";

export function AmountField(field: ComponentProps<typeof Field>) {
  return <Field inputMode="decimal" autoComplete="off" required {...field} label={`${field.label} (US $)`} />;
}

type Wanted = { name: string } & Parameters<typeof problemOf>[1];

/** Throws what a form shows at the field. */
export function amountIn(values: Record<string, string>, { name, ...bounds }: Wanted): number {
  const text = values[name] ?? "";
  const problem = problemOf(text, bounds);
  if (problem) throw refused(name, problem);
  return microsOf(text)!;
}

/** As the server would refuse it. */
export const refused = (field: string, message: string): ServerError =>
  new ServerError(422, {
    error: {
      code: "validation_error",
      message: "Mend what is marked, and send it again.",
      request_id: "",
      details: [{ field, message }],
    },
  });
