/** The accounts of billing whose events lead to no work. */
import { openAudit } from "../../src/audit/audit-events.ts";
import { type BillingAccounts, openBillingAccounts } from "../../src/billing/billing-accounts.ts";
import { systemClock } from "../../src/clock.ts";
import type { Database } from "../../src/db/database.ts";
import { openRaising } from "../../src/events/raising.ts";

export const quietAccounts = (database: Database): BillingAccounts =>
  openBillingAccounts(database, {
    ...{ raise: openRaising(systemClock, []), raised: () => {} },
    audit: openAudit(database, systemClock),
  });
