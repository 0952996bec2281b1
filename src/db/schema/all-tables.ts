/** Every table that both databases have, declared once. */
import { keyTables, organizationTables, settingTables } from "./account-tables.ts";
import { adminTables } from "./admin-tables.ts";
import { alertTables, recipientTables } from "./alert-tables.ts";
import { batchTables } from "./batch-tables.ts";
import { cardTables, priceTables, topUpTables, voucherTables } from "./billing-tables.ts";
import { nodeTables, sharedFileTables } from "./cluster-tables.ts";
import { fileTables } from "./file-tables.ts";
import { attemptTables, memberTables, secretTables, userTables } from "./identity-tables.ts";
import { jobTables } from "./job-tables.ts";
import type { Kit } from "./kit-sqlite.ts";
import { creditTables, endUserTables, requestTables, totalTables, usageTables } from "./ledger-tables.ts";
import { replayTables } from "./replay-tables.ts";
import { voiceTables } from "./voice-tables.ts";
import { webhookTables } from "./webhook-tables.ts";
import { eventTables, workTables } from "./work-tables.ts";

export function tablesOf(kit: Kit) {
  const organizations = organizationTables(kit);
  const users = userTables(kit);
  return {
    ...organizations,
    ...keyTables(kit, organizations),
    ...adminTables(kit, organizations),
    ...settingTables(kit, organizations),
    ...creditTables(kit),
    ...usageTables(kit),
    ...requestTables(kit),
    ...totalTables(kit),
    ...endUserTables(kit),
    ...replayTables(kit),
    ...alertTables(kit, organizations),
    ...recipientTables(kit, organizations),
    ...priceTables(kit),
    ...cardTables(kit, organizations),
    ...topUpTables(kit, organizations),
    ...voucherTables(kit),
    ...users,
    ...secretTables(kit, users),
    ...memberTables(kit, { ...organizations, ...users }),
    ...attemptTables(kit),
    ...nodeTables(kit),
    ...sharedFileTables(kit),
    ...voiceTables(kit, organizations),
    ...fileTables(kit, organizations),
    ...jobTables(kit, organizations),
    ...batchTables(kit, organizations),
    ...workTables(kit),
    ...eventTables(kit),
    ...webhookTables(kit, organizations),
  };
}
