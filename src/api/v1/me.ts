/** GET /v1/me: the calling key, its project and its organization. Not metered. */
import { Elysia } from "elysia";
import type { Accounts } from "../../accounts/accounts.ts";
import { type Clock, unixSeconds } from "../../clock.ts";
import { Refusal, unavailableOnError } from "../../errors.ts";
import type { Ledger } from "../../ledger/ledger.ts";
import { type Limits, limitsOf, limitsRecord, tierOf } from "../../plans.ts";
import { budgetsAt, capRecords } from "../../restrictions.ts";
import type { Authentication } from "../middleware/caller.ts";
import { json, KEY_REFUSALS, operation, ref } from "../openapi/operation.ts";

/** `machine`: the limits of unmetered organizations. */
export type MeDeps = {
  access: Authentication;
  accounts: Accounts;
  ledger: Ledger;
  machine: Limits;
  clock: Clock;
};

export function meRoute({ access, accounts, ledger, machine, clock }: MeDeps) {
  return new Elysia().get(
    "/v1/me",
    async ({ request }) => {
      const { keyId, projectId, organizationId, caps } = await access(request, null);
      const { periods } = budgetsAt(caps, unixSeconds(clock));
      const [key, project, organization, credit] = await unavailableOnError(
        "The accounts",
        Promise.all([
          accounts.key(keyId),
          accounts.project(projectId),
          accounts.organization(organizationId),
          ledger.credit(organizationId, periods),
        ]),
      );
      if (!key || !project || !organization)
        throw new Refusal("invalid_api_key", "This API key does not exist.");
      const {
        organization_id,
        project_id,
        created_by,
        service_account_id,
        revoked_at,
        rotated_from,
        restrictions: _,
        budget_period: __,
        ...shown
      } = key;
      return {
        object: "key_context",
        key: shown,
        project: { id: project.id, object: "project", name: project.name, status: project.status },
        organization: {
          id: organization.id,
          object: "organization",
          name: organization.name,
          plan: organization.plan,
          tier: tierOf(credit.purchasedMicros),
        },
        limits: limitsRecord(limitsOf(organization, credit.purchasedMicros, machine)),
        caps: capRecords(caps, credit.budgetMicros, unixSeconds(clock)),
      };
    },
    {
      detail: operation({
        id: "getKeyContext",
        summary: "Get the key's organization, project and scopes",
        description: "Not metered, and allowed to every key.",
        tag: "Catalogue",
        access: "key",
        ok: {
          description: "The key, its project, its organization and the limits.",
          content: json(ref("KeyContext")),
        },
        refusals: KEY_REFUSALS,
      }),
    },
  );
}
