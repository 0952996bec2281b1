/** The billing overview as the management API returns it. */
import type { Reply } from "../../api/server.ts";

export type BillingState = Reply<"GET /api/organizations/:organization/billing">;
