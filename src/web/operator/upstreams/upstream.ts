/** An upstream, as the operator's list has it. */
import type { Reply } from "../../api/server.ts";

export type Upstreams = Reply<"GET /api/operator/upstreams">;
export type Upstream = Upstreams["data"][number];
export type Server = Upstream["servers"][number];
