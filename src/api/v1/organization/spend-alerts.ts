/**
 * /v1/organization/spend_alerts, and those of a project: who is told once so much is spent. The alerts of keys are among those
 * of their project.
 */
import Type from "typebox";
import type { Accounts } from "../../../accounts/accounts.ts";
import { alertRecord, changeOf, settingsOf } from "../../../alerts/alert-record.ts";
import type { SpendAlert, SpendAlerts } from "../../../alerts/spend-alerts.ts";
import type { AlertFilter } from "../../../db/queries/alert-rows.ts";
import type { Ledger } from "../../../ledger/ledger.ts";
import {
  NewSpendAlertFields,
  SPEND_ALERT_RECORD,
  SpendAlertChangeFields,
} from "../../../spend-alert-fields.ts";
import { type AdminCall, type AdminRoute, adminRoute } from "./admin-route.ts";
import { noSuch } from "./keyed-route.ts";
import { listOf, PAGED_BOTH_WAYS, pageOf } from "./listing.ts";
import { ownProject } from "./projects.ts";
import { Deleted, deleted } from "./records.ts";

const ITEM = "/:spend_alert";

type SpendAlertDeps = { accounts: Accounts; spendAlerts: SpendAlerts; ledger: Pick<Ledger, "credit"> };

/** `of`: whose alerts a call is about. */
type Scoped = {
  kind: "organization.spend_alert" | "project.spend_alert";
  path: string;
  named: string;
  of(call: AdminCall): Promise<AlertFilter>;
};

export function spendAlertRoutes(deps: SpendAlertDeps): AdminRoute[] {
  const project = ownProject(deps.accounts);
  return [
    ...routesOf(deps, {
      ...{ kind: "organization.spend_alert", path: "/spend_alerts", named: "SpendAlert" },
      of: async ({ principal: { organizationId } }) => ({ organizationId, of: "organization" }),
    }),
    ...routesOf(deps, {
      ...{ kind: "project.spend_alert", path: "/projects/:project/spend_alerts" },
      named: "ProjectSpendAlert",
      async of(call) {
        const { id, organizationId } = await project(call);
        return { organizationId, of: { projectId: id } };
      },
    }),
  ];
}

const Paged = Type.Object({
  ...PAGED_BOTH_WAYS,
  order: Type.Optional(
    Type.Enum(["asc", "desc"], { description: "By time of creation; the oldest first unless said." }),
  ),
});

const NewOfProject = Type.Object({
  ...NewSpendAlertFields.properties,
  api_key_id: Type.Optional(
    Type.String({ maxLength: 100, description: "A key of the project, which is watched instead." }),
  ),
});

function routesOf({ spendAlerts, ledger }: SpendAlertDeps, { kind, path, named, of }: Scoped): AdminRoute[] {
  const isOfProject = kind === "project.spend_alert";
  const what = isOfProject ? "a project's spend alert" : "a spend alert of the organization";
  const Record = Type.Object({ object: Type.Literal(kind), ...SPEND_ALERT_RECORD });
  const recordsOf = async (organizationId: string, alerts: SpendAlert[]) => {
    const isOfLimit = ({ scope, percent }: SpendAlert) => scope === "organization" && percent !== null;
    const limit = alerts.some(isOfLimit) ? (await ledger.credit(organizationId)).monthlyLimitMicros : null;
    return alerts.map((alert) => ({ object: kind, ...alertRecord(alert, limit) }));
  };
  const recordOf = async (alert: SpendAlert) => (await recordsOf(alert.organizationId, [alert]))[0]!;
  const own = async (call: AdminCall): Promise<SpendAlert> => {
    const found = await spendAlerts.find(await of(call), call.ids.spend_alert!);
    if (found === null) throw noSuch("spend alert");
    return found;
  };
  const refusals = ["recipient_not_member", "too_many_alert_recipients"] as const;
  return [
    adminRoute({
      ...{ method: "GET", path, id: `list${named}s`, scope: "organization:read", query: Paged },
      ...{ summary: `List ${what.replace("alert", "alerts").replace("a ", "the ")}`, reply: listOf(Record) },
      async handle({ query, ...call }) {
        const { order, ...paged } = query;
        const filter = await of({ ...call, query: {} });
        const page = await pageOf(paged, (place) =>
          spendAlerts.list(filter, { ...place, isNewestFirst: order === "desc" }),
        );
        return { ...page, data: await recordsOf(filter.organizationId, page.data) };
      },
    }),
    adminRoute({
      ...{ method: "POST", path, id: `create${named}`, scope: "organization:write", reply: Record },
      ...{ summary: `Create ${what}`, body: isOfProject ? NewOfProject : NewSpendAlertFields },
      refusals: [
        ...(["too_many_spend_alerts", ...refusals] as const),
        ...(isOfProject ? (["project_archived", "key_not_active"] as const) : []),
      ],
      async handle({ body, ...call }) {
        const { organizationId, of: within } = await of({ ...call, body: {} });
        const { api_key_id: keyId = null } = body as { api_key_id?: string };
        const projectId = typeof within === "object" ? within.projectId : null;
        return recordOf(await spendAlerts.create({ organizationId, projectId, keyId }, settingsOf(body)));
      },
    }),
    adminRoute({
      ...{ method: "GET", path: path + ITEM, id: `get${named}`, scope: "organization:read" },
      ...{ summary: `Get ${what}`, reply: Record },
      handle: async (call) => recordOf(await own(call)),
    }),
    adminRoute({
      ...{ method: "POST", path: path + ITEM, id: `update${named}`, scope: "organization:write" },
      ...{ summary: `Change ${what}`, body: SpendAlertChangeFields, reply: Record, refusals },
      handle: async ({ body, ...call }) =>
        recordOf(await spendAlerts.change(await own({ ...call, body: {} }), changeOf(body))),
    }),
    adminRoute({
      ...{ method: "DELETE", path: path + ITEM, id: `delete${named}`, scope: "organization:write" },
      ...{ summary: `Delete ${what}`, reply: Deleted(kind) },
      async handle(call) {
        const alert = await own(call);
        await spendAlerts.remove(alert);
        return deleted(alert.id, kind);
      },
    }),
  ];
}
