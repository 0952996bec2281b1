/** Handlers of spend alerts. */
import { alertRecord, changeOf, settingsOf } from "../../../alerts/alert-record.ts";
import type { SpendAlert, Watched } from "../../../alerts/spend-alerts.ts";
import { invalidInput } from "../../../errors.ts";
import type { alertRoutes } from "../schema/alert-routes.ts";
import { page } from "./cursor.ts";
import { type Handlers, notFound, orNotFound, type Reads } from "./handler.ts";

type AlertHandlerDeps = Reads<
  "spendAlerts" | "alertRecipients" | "accounts" | "ledger" | "signatures" | "clock"
>;

export function alertHandlers(deps: AlertHandlerDeps): Handlers<typeof alertRoutes> {
  const { spendAlerts, alertRecipients, ledger, signatures } = deps;
  const found = async (organizationId: string, id: string): Promise<SpendAlert> =>
    orNotFound("spend alert", await spendAlerts.find({ organizationId, of: "all" }, id));
  const limitOf = async (organizationId: string) => (await ledger.credit(organizationId)).monthlyLimitMicros;
  const recordOf = async (alert: SpendAlert) => recordIn(alert, await limitOf(alert.organizationId));
  return {
    "POST /api/mail-of-alerts": async ({ body: { token, wants } }) => ({
      object: "mail_of_alerts" as const,
      ...(await alertRecipients.answer(token, wants)),
    }),
    async "GET /api/organizations/:organization/spend-alerts"({ organizationId, query }) {
      const limitMicros = await limitOf(organizationId);
      const { limit: size, cursor } = query;
      const asked = { signatures, filters: { alertsOf: organizationId }, limit: size, cursor };
      return page(asked, async (after, limit) => {
        const place = { after, before: null, limit, isNewestFirst: false };
        const alerts = await spendAlerts.list({ organizationId, of: "all" }, place);
        return alerts.map((alert) => recordIn(alert, limitMicros));
      });
    },
    async "POST /api/organizations/:organization/spend-alerts"({ organizationId, body }) {
      const { project_id, api_key_id, ...fields } = body;
      const watched = await watchedBy(deps, { organizationId, project_id, api_key_id });
      return recordOf(await spendAlerts.create(watched, settingsOf(fields)));
    },
    "GET /api/organizations/:organization/spend-alerts/:spendAlert": async ({ organizationId, ids }) =>
      recordOf(await found(organizationId, ids.spendAlert)),
    async "PATCH /api/organizations/:organization/spend-alerts/:spendAlert"({ organizationId, ids, body }) {
      const alert = await found(organizationId, ids.spendAlert);
      return recordOf(await spendAlerts.change(alert, changeOf(body)));
    },
    async "DELETE /api/organizations/:organization/spend-alerts/:spendAlert"({ organizationId, ids }) {
      await spendAlerts.remove(await found(organizationId, ids.spendAlert));
    },
  };
}

const recordIn = (alert: SpendAlert, limitMicros: number | null) => ({
  object: "spend_alert" as const,
  ...alertRecord(alert, limitMicros),
});

type Named = { organizationId: string; project_id: string | undefined; api_key_id: string | undefined };

/** A key's project is known. */
async function watchedBy(
  { accounts }: AlertHandlerDeps,
  { organizationId, project_id, api_key_id }: Named,
): Promise<Watched> {
  const [projectId, keyId] = [project_id ?? null, api_key_id ?? null];
  if (keyId === null) return { organizationId, projectId, keyId };
  if (projectId !== null) {
    const message = "and project_id exclude one another";
    throw invalidInput([{ field: "api_key_id", code: "malformed", message }]);
  }
  const key = await accounts.key(keyId);
  if (key?.organization_id !== organizationId) throw notFound("key");
  return { organizationId, projectId: key.project_id, keyId };
}
