/** /v1/organization/projects/{project}/service_accounts: who the keys of programs belong to, and the making of such keys. */
import Type from "typebox";
import type { Accounts } from "../../../accounts/accounts.ts";
import type { KeyWithSecret } from "../../../accounts/key-record.ts";
import type { ServiceAccount } from "../../../accounts/service-accounts.ts";
import type { Clock } from "../../../clock.ts";
import { USUAL_SCOPES } from "../../../scopes.ts";
import { type AdminCall, type AdminRoute, adminRoute } from "./admin-route.ts";
import { noSuch } from "./keyed-route.ts";
import { listOf, PAGED, pageOf } from "./listing.ts";
import { KeyScopes, scopesOf } from "./project-keys.ts";
import { ownProject } from "./projects.ts";
import { Deleted, deleted, ExpiresIn, expiryOf, Name, nullable, Time } from "./records.ts";

const KIND = "organization.project.service_account";

const Account = Type.Object({
  id: Type.String(),
  object: Type.Literal(KIND),
  name: Type.String(),
  role: Type.Enum(["owner", "member"]),
  created_at: Time,
});

const NewKey = Type.Object({
  id: Type.String(),
  object: Type.Literal(`${KIND}.api_key`),
  name: Type.String(),
  value: Type.String(),
  created_at: Time,
  expires_at: nullable(Time),
});

/** The name of a first key, as stock clients know it. */
const FIRST = "Secret Key";

type AccountDeps = { accounts: Accounts; clock: Clock };

export function serviceAccountRoutes(deps: AccountDeps): AdminRoute[] {
  const { accounts } = deps;
  const project = ownProject(accounts);
  const own = ownAccount(accounts);
  const path = "/projects/:project/service_accounts";
  const one = `${path}/:service_account`;
  return [
    adminRoute({
      ...{ method: "GET", path, id: "listServiceAccounts", scope: "organization:read" },
      ...{ summary: "List the service accounts of a project" },
      ...{ query: Type.Object(PAGED), reply: listOf(Account) },
      handle: async ({ query, ...call }) => {
        const { id } = await project({ ...call, query: {} });
        const page = await pageOf(query, (place) => accounts.serviceAccountsOf(id, place));
        return { ...page, data: page.data.map(accountOf) };
      },
    }),
    ...creation(deps, path),
    adminRoute({
      ...{ method: "GET", path: one, id: "getServiceAccount", scope: "organization:read" },
      ...{ summary: "Get a service account", reply: Account },
      handle: async (call) => accountOf(await own(call)),
    }),
    adminRoute({
      ...{ method: "POST", path: one, id: "updateServiceAccount", scope: "organization:write" },
      summary: "Change the name or the role of a service account",
      body: Type.Object({
        name: Type.Optional(Name("service account")),
        role: Type.Optional(
          Type.Enum(["owner", "member"], { description: "A note: what its keys may do is their scopes." }),
        ),
      }),
      reply: Account,
      handle: async ({ body, ...call }) => {
        const { id } = await own({ ...call, body: {} });
        const changed = await accounts.updateServiceAccount(id, body);
        if (changed === null) throw noSuch("service_account");
        return accountOf(changed);
      },
    }),
    adminRoute({
      ...{ method: "DELETE", path: one, id: "deleteServiceAccount", scope: "organization:write" },
      ...{ summary: "Delete a service account and revoke its keys", reply: Deleted(KIND) },
      handle: async (call) => {
        const { id } = await own(call);
        await accounts.deleteServiceAccount(id);
        return deleted(id, KIND);
      },
    }),
  ];
}

function creation({ accounts, clock }: AccountDeps, path: string): AdminRoute[] {
  const project = ownProject(accounts);
  const own = ownAccount(accounts);
  return [
    adminRoute({
      ...{ method: "POST", path, id: "createServiceAccount", scope: "organization:write" },
      summary: "Create a service account and its first API key, whose value is returned once",
      refusals: ["project_archived"],
      body: Type.Object({
        name: Name("service account"),
        create_service_account_only: Type.Optional(
          Type.Boolean({ description: "With true, no key is created." }),
        ),
        expires_in_seconds: ExpiresIn,
      }),
      reply: Type.Object({ ...Account.properties, api_key: nullable(NewKey) }),
      handle: async ({ body, ...call }) => {
        const { id: projectId } = await project({ ...call, body: {} });
        const { name, create_service_account_only: isAlone = false, expires_in_seconds: seconds } = body;
        if (isAlone)
          return { ...accountOf(await accounts.createServiceAccount({ projectId, name })), api_key: null };
        const key = { ...keyFields(FIRST), scopes: USUAL_SCOPES, expiresAt: expiryOf(seconds, clock) };
        const made = await accounts.createServiceAccountWithKey({ projectId, name }, key);
        return { ...accountOf(made.account), api_key: keyOf(made.key) };
      },
    }),
    adminRoute({
      ...{ method: "POST", path: `${path}/:service_account/api_keys`, id: "createServiceAccountKey" },
      ...{ scope: "organization:write", refusals: ["project_archived"], reply: NewKey },
      summary: "Create an API key of a service account; its value is returned once",
      body: Type.Object({
        name: Type.Optional(Name("key")),
        scopes: KeyScopes,
        expires_in_seconds: ExpiresIn,
      }),
      handle: async ({ body, ...call }) => {
        const account = await own({ ...call, body: {} });
        const { name = FIRST, scopes = [], expires_in_seconds: seconds } = body;
        const key = { ...keyFields(name), scopes: scopesOf(scopes), expiresAt: expiryOf(seconds, clock) };
        return keyOf(await accounts.createServiceAccountKey(account, key));
      },
    }),
  ];
}

/** The service account of the path, which its project has. */
function ownAccount(accounts: Accounts): (call: AdminCall) => Promise<ServiceAccount> {
  const project = ownProject(accounts);
  return async (call) => {
    const { id } = await project(call);
    const account = await accounts.serviceAccount(call.ids.service_account!);
    if (account?.projectId !== id) throw noSuch("service_account");
    return account;
  };
}

const keyFields = (name: string) => ({ name, environment: "live" }) as const;

const accountOf = ({ id, name, role, createdAt }: ServiceAccount) => ({
  ...{ id, object: KIND, name, role, created_at: createdAt },
});

const keyOf = ({ id, name, secret, created_at, expires_at }: KeyWithSecret) => ({
  ...{ id, object: `${KIND}.api_key`, name, value: secret, created_at, expires_at },
});
