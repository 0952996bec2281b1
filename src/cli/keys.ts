/** `loquat keys create|list|revoke`: API keys, for an operator without a browser. A secret is shown once. */
import { parseArgs } from "node:util";
import { isScope, SCOPES, type Scope } from "../account/principal.ts";
import { readConfig } from "../config.ts";
import { openBooks } from "../parts.ts";
import { printLine, printList, UsageError } from "./output.ts";

const OPTIONS = {
  name: { type: "string" },
  test: { type: "boolean" },
  scope: { type: "string", multiple: true },
  json: { type: "boolean" },
} as const;

export async function keys(args: string[]): Promise<void> {
  const { values, positionals } = parseArgs({ args, options: OPTIONS, allowPositionals: true });
  using books = openBooks(readConfig());
  const [verb, id] = positionals;
  if (verb === "list" && positionals.length === 1) {
    const columns = ["id", "name", "environment", "prefix", "last4", "status", "scopes"];
    return printList(books.listKeys(), columns, values.json ?? false);
  }
  if (verb === "revoke" && id !== undefined) {
    const revoked = books.revokeKey(id);
    if (!revoked) throw new UsageError(`There is no key ${id}. "loquat keys list" shows them all.`);
    return printLine(`Revoked ${revoked.id} (${revoked.name}).`);
  }
  if (verb !== "create" || positionals.length > 1)
    throw new UsageError("keys takes create, list or revoke KEY_ID.");
  const project = books.defaultProject();
  if (!project) throw new UsageError("There is no project to make a key for yet. Start the server once.");
  const { secret, ...record } = books.createKey({
    projectId: project.id,
    name: values.name ?? "unnamed",
    environment: values.test ? "test" : "live",
    scopes: readScopes(values.scope),
    expiresAt: null,
  });
  printLine(
    values.json
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
