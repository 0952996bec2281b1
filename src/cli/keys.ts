/** `loquat keys create|list|rotate|revoke`: API keys, for an operator without a browser. A secret is shown once. */
import { parseArgs } from "node:util";
import type { KeyWithSecret } from "../accounts/keys.ts";
import { isScope, SCOPES, type Scope } from "../accounts/principal.ts";
import type { Storage } from "../server/storage.ts";
import { organizationOf, readExpiry, readWhole, withStorage } from "./context.ts";
import { printLine, printList, UsageError } from "./output.ts";

const OPTIONS = {
  name: { type: "string" },
  test: { type: "boolean" },
  scope: { type: "string", multiple: true },
  org: { type: "string" },
  project: { type: "string" },
  days: { type: "string" },
  grace: { type: "string", default: "0" },
  json: { type: "boolean", default: false },
} as const;

type Values = {
  name?: string;
  test?: boolean;
  scope?: string[];
  org?: string;
  project?: string;
  days?: string;
  json: boolean;
};

const COLUMNS = ["id", "project_id", "name", "environment", "prefix", "last4", "status", "scopes"];

export async function keys(args: string[]): Promise<void> {
  const { values, positionals } = parseArgs({ args, options: OPTIONS, allowPositionals: true });
  const [verb, id, ...rest] = positionals;
  await withStorage(async (storage) => {
    const { accounts } = storage;
    if (verb === "list" && !id) return printList(await accounts.listKeys(), COLUMNS, values.json);
    if (verb === "create" && !id) return printSecret(await create(storage, values), values.json);
    if (!id || rest.length > 0 || (verb !== "revoke" && verb !== "rotate"))
      throw new UsageError("keys takes create, list, rotate KEY_ID or revoke KEY_ID.");
    if (verb === "rotate") {
      const grace = readWhole("--grace", values.grace);
      return printSecret((await accounts.rotateKey(id, grace)) ?? unknown(id), values.json);
    }
    const revoked = (await accounts.revokeKey(id)) ?? unknown(id);
    printLine(values.json ? JSON.stringify(revoked, null, 2) : `Revoked ${revoked.id} (${revoked.name}).`);
  });
}

async function create(
  storage: Storage,
  { name, test, scope, org, project, days }: Values,
): Promise<KeyWithSecret> {
  const scopes = readScopes(scope);
  const projectId =
    project ?? (await storage.accounts.defaultProject(await organizationOf(storage, org)))!.id;
  const environment = test ? "test" : "live";
  return storage.accounts.createKey({
    projectId,
    name: name ?? "unnamed",
    environment,
    scopes,
    expiresAt: readExpiry(days),
  });
}

function printSecret({ secret, ...record }: KeyWithSecret, json: boolean): void {
  printLine(
    json
      ? JSON.stringify({ ...record, secret }, null, 2)
      : `${secret}\n${record.id}: shown once, keep it safe.`,
  );
}

function readScopes(names: string[] | undefined): Scope[] {
  if (!names) return [...SCOPES];
  const unknown = names.find((name) => !isScope(name));
  if (unknown) throw new UsageError(`There is no scope ${unknown}. Scopes: ${SCOPES.join(", ")}.`);
  return names.filter(isScope);
}

function unknown(id: string): never {
  throw new UsageError(`There is no key ${id}. "loquat keys list" shows them all.`);
}
