/** A model with its prices, as the operator's list has it. */
import type { Reply } from "../../api/server.ts";

export type ModelPrice = Reply<"GET /api/operator/prices">["data"][number];
