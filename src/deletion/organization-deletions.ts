/**
 * Deletes organizations whose time has come: work that any node does, and that begins again where a process ended in the middle.
 *
 *   due ──begun──> card at Stripe ──> letters ──> rows ──> contents of files ──> a day later once more
 *     └──undone: nothing is deleted
 *
 * A request that was running, or a page of Stripe that was open, may have left something meanwhile: so all of it is done twice.
 */
import { eq } from "drizzle-orm";
import type { Accounts } from "../accounts/accounts.ts";
import { DELETION_KIND } from "../accounts/organization-deletion.ts";
import type { Billing } from "../billing/billing.ts";
import { type Clock, unixSeconds } from "../clock.ts";
import type { Database } from "../db/database.ts";
import { completeFrom } from "../kept-data.ts";
import type { Log } from "../log/log.ts";
import type { Handler } from "../work/attempt.ts";
import type { Work } from "../work/work-queue.ts";
import { deleteLetters } from "./mail-folder.ts";
import { DELETION_RULES } from "./rules.ts";
import { deleteTenantRows } from "./tenant-rows.ts";

export type DeletionDeps = {
  database: Database;
  accounts: Pick<Accounts, "beginDeletion" | "noteLogsFrom">;
  billing: Pick<Billing, "available" | "account" | "forgetCard">;
  /** Deletes contents that are unused. */
  cleanFiles(): Promise<void>;
  /** Where letters lie on a server without a mail server. */
  letters: string;
  work: Pick<Work, "handle">;
  /** The common time of nodes that share a database. */
  clock: Clock;
  log: Log;
};

/** Longer than a page of Stripe or a live session lasts. */
const AGAIN_MS = 25 * 3_600_000;

export function handleOrganizationDeletions(deps: DeletionDeps): void {
  const { database, accounts, clock, log } = deps;
  const handler: Handler = {
    rules: DELETION_RULES,
    async attempt({ id, payload: organizationId, signal }) {
      const now = unixSeconds(clock);
      if (!(await accounts.beginDeletion(organizationId, now))) return []; // it was undone
      await forgetCard(deps, organizationId);
      await deleteLetters(deps.letters, [organizationId, ...(await invitationsOf(database, organizationId))]);
      await accounts.noteLogsFrom(organizationId, completeFrom(now));
      await deleteTenantRows(database, organizationId, signal);
      await deleteContents(deps, organizationId);
      const again = `${organizationId}_deletion_again`;
      if (id === again) return [];
      log.info("organization_deleted", { organizationId });
      return [{ id: again, kind: DELETION_KIND, dueMs: clock.now() + AGAIN_MS, payload: organizationId }];
    },
  };
  deps.work.handle(DELETION_KIND, handler);
}

async function forgetCard({ billing, log }: DeletionDeps, organizationId: string): Promise<void> {
  const { paymentMethodId } = await billing.account(organizationId);
  if (paymentMethodId === null) return;
  if (billing.available) await billing.forgetCard(organizationId);
  else log.warn("card_not_removed", { organizationId });
}

async function invitationsOf({ query, tables }: Database, organizationId: string): Promise<string[]> {
  const { invitation } = tables;
  const isOf = eq(invitation.organizationId, organizationId);
  return (await query.select({ id: invitation.id }).from(invitation).where(isOf)).map(({ id }) => id);
}

/** The first run may have begun before they were unused. */
async function deleteContents({ cleanFiles, database }: DeletionDeps, organizationId: string): Promise<void> {
  for (let run = 0; run < 2 && (await hasContents(database, organizationId)); run++) await cleanFiles();
  if (await hasContents(database, organizationId)) throw new Error("contents of its files are left");
}

async function hasContents({ query, tables }: Database, organizationId: string): Promise<boolean> {
  const { filePart } = tables;
  const isOf = eq(filePart.organizationId, organizationId);
  return (await query.select({ id: filePart.id }).from(filePart).where(isOf).limit(1)).length > 0;
}
