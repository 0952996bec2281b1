/** What is written to a ledger, and what comes of it. */
import type { Charge, Grant, NewGrant, NewReversal, Reversal, UsageEvent } from "./burn-down.ts";
import type { NewRefund } from "./refund.ts";

/** One request to an audio endpoint. `createdAt` in Unix seconds. */
export type RequestLog = {
  id: string;
  createdAt: number;
  durationMs: number;
  /** Time to the first byte of audio or text; null if none was sent. */
  firstByteMs: number | null;
  endpoint: string;
  method: string;
  status: number;
  errorCode: string | null;
  /** As the client received it, at most 500 characters, without keys. */
  errorMessage: string | null;
  organizationId: string;
  projectId: string;
  keyId: string;
  environment: "live" | "test";
  model: string | null;
  voice: string | null;
  stream: boolean;
  responseFormat: string | null;
  characters: number | null;
  audioSeconds: number | null;
  costMicros: number;
  ip: string | null;
  userAgent: string | null;
};

/** The key of a row. */
export type Name = [organizationId: string, id: string];

/**
 * `request`: the log of the charged request as far as known, so that it is logged and counted in the transaction of its
 * first charge. `void` undoes a charge, or keeps it from ever being applied; `refund` corrects one.
 */
export type Write =
  | { log: RequestLog }
  | { charge: Charge; request?: RequestLog | undefined }
  | { void: Charge }
  | { refund: NewRefund }
  | { grant: NewGrant }
  | { reversal: NewReversal }
  | { forget: Name[] }
  | { limit: { organizationId: string; micros: number | null } };

/** The outcome of each write, in order. `error`: a bug's message; one bad write does not fail its batch. */
export type Outcome =
  | { event: UsageEvent }
  | { grant: Grant }
  | { reversal: Reversal }
  | { done: true }
  | { error: string };
