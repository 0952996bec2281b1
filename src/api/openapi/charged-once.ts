/** What the documents of routes have in common that charge a repeated request once. */
import type { Code } from "../../errors.ts";
import { REPLAYED } from "../middleware/response-headers.ts";

export const CHARGED_ONCE_HEADERS = {
  [REPLAYED]: {
    description: "true where the same request was charged before: this answer is not charged.",
    schema: { type: "string", enum: ["true"] },
  },
};

/** The header of a request that must not be charged twice. */
export const IDEMPOTENCY_KEY = {
  name: "Idempotency-Key",
  description:
    "A word of your own for this request. Sent again with the same key within an hour, it is not charged again.",
  schema: { type: "string", minLength: 1, maxLength: 255 },
};

/** What they may answer besides. */
export const CHARGED_ONCE_REFUSALS = [
  "idempotency_in_progress",
  "idempotency_key_reused",
  "idempotency_key_used",
] as const satisfies Code[];
