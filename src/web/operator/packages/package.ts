/** A model package as the management API returns it. */
import type { Reply } from "../../lib/server.ts";

export type Package = Reply<"GET /api/operator/models">["data"][number];
