/** How the delivery of a result ended, and what follows for its charge. */
import { isLeft } from "../errors.ts";

/** As its logged status: complete, abandoned by the client (499), cut off by the server, or failed. */
export type Ending = { status: 200 | 499 | 503 } | { status: 502; cause: unknown };

/** Whether the server ended it early: what the client did not receive is not charged. */
export const isCutShort = ({ status }: Ending): boolean => status === 502 || status === 503;

/** `signal`: that of the request. An engine may fail because its client has left. */
export function failedEnding(signal: AbortSignal, cause: unknown): Ending {
  if (isLeft(signal)) return { status: 499 };
  return signal.aborted && cause === signal.reason ? { status: 503 } : { status: 502, cause };
}
