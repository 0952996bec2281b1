/** /v1/organization/projects/{project}/api_keys: the API keys of a project that are not revoked, and whom they belong to. */
import Type from "typebox";
import type { Accounts } from "../../../accounts/accounts.ts";
import type { KeyRecord } from "../../../accounts/key-record.ts";
import type { OwnedKey } from "../../../accounts/owned-keys.ts";
import { BudgetUse } from "../../../budget-use.ts";
import type { Clock } from "../../../clock.ts";
import type { Ledger } from "../../../ledger/ledger.ts";
import { RestrictionsFields } from "../../../restrictions.ts";
import { SCOPES, type Scope, USUAL_SCOPES } from "../../../scopes.ts";
import { type AdminCall, type AdminRoute, adminRoute } from "./admin-route.ts";
import { noSuch } from "./keyed-route.ts";
import { listOf, PAGED, pageOf } from "./listing.ts";
import { ownProject } from "./projects.ts";
import { Deleted, deleted, ExpiresIn, expiryOf, given, Name, nullable, Time, withUse } from "./records.ts";

const KIND = "organization.project.api_key";

const Access = Type.Enum(["active", "inactive"]);
const Owner = { id: Type.String(), created_at: Time, name: Type.String(), role: Type.String() };

const ProjectKey = Type.Object({
  id: Type.String(),
  object: Type.Literal(KIND),
  name: Type.String(),
  redacted_value: Type.String(),
  environment: Type.Enum(["live", "test"]),
  scopes: Type.Array(Type.String()),
  created_at: Time,
  expires_at: nullable(Time),
  last_used_at: nullable(Time),
  /** What it may use at most, beside what its project may; null: as much. */
  restrictions: nullable(RestrictionsFields),
  budget_period: nullable(BudgetUse),
  /** `inactive`: it belongs to a user who has left. */
  owner_project_access: Access,
  /** Empty for a key without an owner: made on the command line, or with an admin key. */
  owner: Type.Object({
    type: Type.Optional(Type.Enum(["user", "service_account"])),
    user: Type.Optional(Type.Object({ ...Owner, email: Type.String() })),
    service_account: Type.Optional(Type.Object(Owner)),
  }),
});

/** An empty list of stock clients means no restriction. */
export const KeyScopes = Type.Optional(
  Type.Array(Type.Enum([...SCOPES]), {
    uniqueItems: true,
    description: "Every scope but webhook:manage, where it is empty.",
  }),
);

export const scopesOf = (scopes: readonly Scope[]): readonly Scope[] =>
  scopes.length === 0 ? USUAL_SCOPES : scopes;

type ProjectKeyDeps = { accounts: Accounts; ledger: Pick<Ledger, "budgets">; clock: Clock };

const PATH = "/projects/:project/api_keys";

export function projectKeyRoutes(deps: ProjectKeyDeps): AdminRoute[] {
  const { accounts, ledger, clock } = deps;
  const project = ownProject(accounts);
  const path = PATH;
  return [
    adminRoute({
      ...{ method: "GET", path, id: "listProjectKeys", scope: "organization:read" },
      summary: "List the API keys of a project that are not revoked",
      query: Type.Object({
        ...PAGED,
        owner_project_access: Type.Optional(
          Type.Enum(["active", "inactive", "any"], {
            description: "Only keys whose owner is there, or has left; any unless said.",
          }),
        ),
      }),
      reply: listOf(ProjectKey),
      handle: async ({ query: { owner_project_access: access = "any", ...paged }, ...call }) => {
        const { id: projectId } = await project({ ...call, query: {} });
        const hasOwner = access === "any" ? null : access === "active";
        const page = await pageOf(paged, (place) => accounts.ownedKeysOf({ projectId, hasOwner, ...place }));
        return { ...page, data: await withUse(ledger, page.data.map(projectKeyOf)) };
      },
    }),
    adminRoute({
      ...{ method: "POST", path, id: "createProjectKey", scope: "organization:write" },
      summary: "Create an API key without an owner; its value is returned once",
      refusals: ["project_archived"],
      body: Type.Object({
        name: Name("key"),
        environment: Type.Optional(Type.Enum(["live", "test"], { description: "live unless said." })),
        scopes: KeyScopes,
        expires_in_seconds: ExpiresIn,
        restrictions: Type.Optional(RestrictionsFields),
      }),
      reply: Type.Object({ ...ProjectKey.properties, value: Type.String() }),
      handle: async ({ body, ...call }) => {
        const { id: projectId } = await project({ ...call, body: {} });
        const { name, environment = "live", scopes = [], expires_in_seconds: seconds, restrictions } = body;
        const fields = { projectId, name, environment, scopes: scopesOf(scopes), ...given({ restrictions }) };
        const key = await accounts.createKey({ ...fields, expiresAt: expiryOf(seconds, clock) });
        const record = projectKeyOf({ id: key.id, key, user: null, account: null });
        return { ...(await withUse(ledger, [record]))[0]!, value: key.secret };
      },
    }),
    ...existing(deps),
  ];
}

function existing({ accounts, ledger, clock }: ProjectKeyDeps): AdminRoute[] {
  const recordOf = async (owned: OwnedKey) => (await withUse(ledger, [projectKeyOf(owned)]))[0]!;
  const project = ownProject(accounts);
  async function own(call: AdminCall): Promise<OwnedKey> {
    const { id } = await project(call);
    const key = await accounts.ownedKey(id, call.ids.api_key!);
    if (key === null) throw noSuch("api_key");
    return key;
  }
  const path = `${PATH}/:api_key`;
  return [
    adminRoute({
      ...{ method: "GET", path, id: "getProjectKey", scope: "organization:read" },
      ...{ summary: "Get an API key of a project", reply: ProjectKey },
      handle: async (call) => recordOf(await own(call)),
    }),
    adminRoute({
      ...{ method: "POST", path, id: "updateProjectKey", scope: "organization:write" },
      ...{ summary: "Change an API key of a project", refusals: ["key_not_active"] },
      body: Type.Object({
        name: Type.Optional(Name("key")),
        scopes: KeyScopes,
        expires_in_seconds: ExpiresIn,
        restrictions: Type.Optional(RestrictionsFields),
        reset_budget: Type.Optional(Type.Boolean({ description: "With true, its budget begins unused." })),
      }),
      reply: ProjectKey,
      handle: async ({ body, ...call }) => {
        const { name, scopes, expires_in_seconds: seconds, restrictions, reset_budget: resetBudget } = body;
        const owned = await own({ ...call, body: {} });
        const key = await accounts.updateKey(owned.id, {
          ...(name === undefined ? {} : { name }),
          ...(scopes === undefined ? {} : { scopes: scopesOf(scopes) }),
          ...(seconds === undefined ? {} : { expiresAt: expiryOf(seconds, clock) }),
          ...given({ restrictions, resetBudget }),
        });
        if (key === null) throw noSuch("api_key");
        return recordOf({ ...owned, key });
      },
    }),
    adminRoute({
      ...{ method: "DELETE", path, id: "deleteProjectKey" },
      ...{ scope: "organization:write", summary: "Revoke an API key of a project", reply: Deleted(KIND) },
      handle: async (call) => {
        const { id } = await own(call);
        await accounts.revokeKey(id);
        return deleted(id, KIND);
      },
    }),
  ];
}

const projectKeyOf = ({ key, user, account }: OwnedKey) => ({
  organization_id: key.organization_id,
  id: key.id,
  object: KIND,
  name: key.name,
  redacted_value: redacted(key),
  environment: key.environment,
  scopes: key.scopes,
  created_at: key.created_at,
  expires_at: key.expires_at,
  last_used_at: key.last_used_at,
  restrictions: key.restrictions,
  budget_period: key.budget_period,
  owner_project_access: key.created_by !== null && !user?.role ? "inactive" : "active",
  owner: user ? ownedByUser(user) : account ? ownedByAccount(account) : {},
});

const redacted = ({ environment, last4 }: KeyRecord): string => `sk_${environment}_…${last4}`;

function ownedByUser({ id, name, email, createdAt, role }: NonNullable<OwnedKey["user"]>) {
  const user = { id, name, email, created_at: createdAt, role: role === "owner" ? "owner" : "member" };
  return { type: "user", user };
}

function ownedByAccount({ id, name, createdAt, role }: NonNullable<OwnedKey["account"]>) {
  return { type: "service_account", service_account: { id, name, created_at: createdAt, role } };
}
