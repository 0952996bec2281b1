/** Handlers that delete organizations, for their owners and for operators, and undo it; and one's own account. */
import { DELETED_AFTER_SECONDS } from "../../../accounts/organization-deletion.ts";
import type { Organization } from "../../../accounts/organizations.ts";
import { unixSeconds } from "../../../clock.ts";
import { invalidInput } from "../../../errors.ts";
import type { deletionRoutes } from "../schema/deletion-routes.ts";
import { organizationRecord } from "./account-handlers.ts";
import { type Handlers, orNotFound, type Reads } from "./handler.ts";
import { tenantRecords } from "./operator-handlers.ts";

export function deletionHandlers({
  accounts,
  config,
  identity,
  ledger,
  clock,
  log,
}: Reads<"accounts" | "config" | "identity" | "ledger" | "clock" | "log">): Handlers<typeof deletionRoutes> {
  const tenantRecord = tenantRecords({ accounts, ledger, config, clock });
  const record = (organization: Organization | null) =>
    organizationRecord(orNotFound("organization", organization), ledger);

  async function schedule(id: string, typed: string, afterSeconds: number): Promise<Organization | null> {
    const { name } = orNotFound("organization", await accounts.organization(id));
    if (typed.normalize() !== name.normalize())
      throw invalidInput([
        { field: "name", code: "not_one_of", message: "is not the name of the organization" },
      ]);
    return accounts.scheduleDeletion(id, unixSeconds(clock) + afterSeconds);
  }

  return {
    "POST /api/account/delete": async ({ session, body: { password = null } }) => {
      await identity.prove(session, password);
      await accounts.deleteUser(session.user.id);
      log.info("account_deleted", { userId: session.user.id });
    },
    "POST /api/organizations/:organization/delete": async ({ organizationId, body: { name } }) =>
      record(await schedule(organizationId, name, DELETED_AFTER_SECONDS)),
    "POST /api/organizations/:organization/delete/undo": async ({ organizationId }) =>
      record(await accounts.undoDeletion(organizationId)),
    "POST /api/operator/organizations/:tenant/delete": async ({ session, ids: { tenant }, body }) => {
      const { name, now = false } = body;
      const scheduled = await schedule(tenant, name, now ? 0 : DELETED_AFTER_SECONDS);
      log.info("organization_deletion_asked", { organizationId: tenant, now, by: session.user.id });
      return tenantRecord(scheduled);
    },
    "POST /api/operator/organizations/:tenant/delete/undo": async ({ ids: { tenant } }) =>
      tenantRecord(await accounts.undoDeletion(tenant)),
  };
}
