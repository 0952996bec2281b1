/** /v1/organization/data_retention, and that of each project: whether requests leave no address, user agent or error text behind. */
import Type from "typebox";
import type { Accounts } from "../../../accounts/accounts.ts";
import { DATA_RETENTION } from "../../../kept-data.ts";
import { type AdminRoute, adminRoute } from "./admin-route.ts";
import { noSuch } from "./keyed-route.ts";
import { ownProject } from "./projects.ts";

const PROJECT_TYPES = ["organization_default", ...DATA_RETENTION] as const;
const OF_ORGANIZATION = "organization.data_retention";
const OF_PROJECT = "project.data_retention";

const Whole = Type.Object({ object: Type.Literal(OF_ORGANIZATION), type: Type.Enum([...DATA_RETENTION]) });
const OfProject = Type.Object({ object: Type.Literal(OF_PROJECT), type: Type.Enum([...PROJECT_TYPES]) });

export function dataRetentionRoutes({ accounts }: { accounts: Accounts }): AdminRoute[] {
  const project = ownProject(accounts);
  const path = "/data_retention";
  const projectPath = `/projects/:project${path}`;
  return [
    adminRoute({
      ...{ method: "GET", path, id: "getDataRetention", scope: "organization:read" },
      ...{ summary: "Get what is kept of the organization's requests", reply: Whole },
      async handle({ principal }) {
        const organization = await accounts.organization(principal.organizationId);
        if (organization === null) throw noSuch("organization");
        return { object: OF_ORGANIZATION, type: organization.dataRetention };
      },
    }),
    adminRoute({
      ...{ method: "POST", path, id: "setDataRetention", scope: "organization:write", reply: Whole },
      summary: "Choose what is kept of the organization's requests",
      body: Type.Object({
        retention_type: Type.Enum([...DATA_RETENTION], { description: "`none`: as the server does." }),
      }),
      async handle({ principal, body: { retention_type: type } }) {
        await accounts.setRetention(principal.organizationId, { dataRetention: type });
        return { object: OF_ORGANIZATION, type };
      },
    }),
    adminRoute({
      ...{ method: "GET", path: projectPath, id: "getProjectDataRetention", scope: "organization:read" },
      ...{ summary: "Get what is kept of a project's requests", reply: OfProject },
      async handle(call) {
        const { dataRetention } = await project(call);
        return { object: OF_PROJECT, type: dataRetention ?? "organization_default" };
      },
    }),
    adminRoute({
      ...{ method: "POST", path: projectPath, id: "setProjectDataRetention", scope: "organization:write" },
      ...{ summary: "Choose what is kept of a project's requests", reply: OfProject },
      body: Type.Object({
        retention_type: Type.Enum([...PROJECT_TYPES], {
          description: "`organization_default`: as the organization does.",
        }),
      }),
      async handle({ body: { retention_type: type }, ...call }) {
        const { id } = await project({ ...call, body: {} });
        const dataRetention = type === "organization_default" ? null : type;
        await accounts.updateProject(id, { dataRetention });
        return { object: OF_PROJECT, type };
      },
    }),
  ];
}
