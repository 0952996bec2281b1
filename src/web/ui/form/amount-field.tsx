/** A field for an amount in dollars, and its value in micros. */

import type { ComponentProps } from "react";
import { ServerError } from "../../api/server.ts";
import { microsOf, problemOf } from "../../format/amount.ts";
import { controlsTexts } from "../../language/en/controls.ts";
import { Field } from "./form.tsx";

export function AmountField(field: ComponentProps<typeof Field>) {
  return <Field inputMode="decimal" autoComplete="off" required {...field} label={`${field.label} (US $)`} />;
}

type AmountOptions = { name: string } & Parameters<typeof problemOf>[1];

/** Throws a validation error, which the form shows at the field. */
export function amountIn(values: Record<string, string>, { name, ...bounds }: AmountOptions): number {
  const text = values[name] ?? "";
  const problem = problemOf(text, bounds);
  if (problem) throw validationError(name, problem);
  return microsOf(text)!;
}

/** The same error that the server would return. */
export const validationError = (field: string, message: string): ServerError =>
  new ServerError(422, {
    error: {
      code: "validation_error",
      message: controlsTexts()("fixFields"),
      request_id: "",
      details: [{ field, message }],
    },
  });
