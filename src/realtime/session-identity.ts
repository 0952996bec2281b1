/** What is fixed when a session opens. */
import type { Refusal } from "../errors.ts";
import type { ErrorFields } from "./events.ts";
import type { Shape } from "./settings.ts";

/** `expiresAt` in Unix seconds. */
export type Identity = {
  id: string;
  expiresAt: number;
  shape: Shape;
  /** How the API writes an error. */
  errorFields: (refusal: Refusal) => ErrorFields;
};
