/** What all that is sent to the servers of one upstream shares: speech, recordings, chat and live turns. */

import type { UpstreamFailure } from "../transport/failure.ts";
import type { ServerPool } from "../transport/server-pool.ts";
import type { Preset } from "./preset.ts";

export type UpstreamConnection = {
  preset: Preset;
  pool: ServerPool;
  /** The headers of the credential at this time. */
  headers(): Record<string, string>;
  /** Called with each failure of a server. */
  failed(failure: UpstreamFailure, server: string): void;
};

/** `budget`: how many requests may be tried again. */
export type RetriedConnection = UpstreamConnection & { budget: { requested(): void; retry(): boolean } };
