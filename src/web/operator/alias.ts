/** An alias, as the operator's list has it. */
import type { Reply } from "../api/server.ts";

export type Alias = Reply<"GET /api/operator/aliases">["data"][number];
