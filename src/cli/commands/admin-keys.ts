/** `loquat admin-keys`: the keys that programs read and manage an organization with. */
import { type Command, InvalidArgumentError } from "@commander-js/extra-typings";
import type { AdminKeyRecord } from "../../accounts/admin-keys.ts";
import { ADMIN_SCOPES, type AdminScope, isAdminScope } from "../../scopes.ts";
import type { Storage } from "../../server/storage.ts";
import { ORG_OPTION, organizationOf, withStorage } from "../base/context.ts";
import {
  type Column,
  JSON_OPTION,
  note,
  printJson,
  printLine,
  printList,
  UsageError,
} from "../base/output.ts";
import { daysFromNow, formatTime, wholeNumber } from "../base/values.ts";

const COLUMNS: Column<AdminKeyRecord>[] = [
  "id",
  { title: "NAME", text: ({ name }) => name, cut: true },
  { title: "KEY", text: ({ last4 }) => `sk_admin_…${last4}` },
  "status",
  { title: "LAST USED", text: ({ last_used_at: at }) => formatTime(at) ?? "never" },
];

export function adminKeys(command: Command): void {
  command
    .command("create")
    .description("Create an admin key and print its secret, once")
    .option("--name <name>", "a name for lists", "unnamed")
    .option(...ORG_OPTION)
    .option(
      "--scope <scope>",
      `what it may do, repeatable: ${ADMIN_SCOPES.join(", ")} (default: all)`,
      addScope,
    )
    .option("--days <days>", "days until it expires (default: never)", wholeNumber)
    .option(...JSON_OPTION)
    .action(({ name, org, scope: scopes = [...ADMIN_SCOPES], days, json }) =>
      withStorage(async (storage) => {
        const expiresAt = days === undefined ? null : daysFromNow(days);
        const organizationId = await organizationOf(storage, org);
        const fields = { organizationId, name, scopes, expiresAt, createdBy: null };
        const { secret, ...record } = await storage.accounts.createAdminKey(fields);
        if (json) return printJson({ ...record, secret });
        printLine(secret);
        note(`The secret of ${record.id}. It is shown once; store it now.`);
      }),
    );
  command
    .command("list")
    .description("List the admin keys of an organization, newest first")
    .option(...ORG_OPTION)
    .option(...JSON_OPTION)
    .action(({ org, json }) =>
      withStorage(async (storage) =>
        printList(await keysOf(storage, await organizationOf(storage, org)), { columns: COLUMNS, json }),
      ),
    );
  command
    .command("revoke")
    .description("Revoke an admin key at once")
    .argument("<id>", "the admin key's id")
    .option(...JSON_OPTION)
    .action(async (id, { json }) => {
      const revoked = (await withStorage(({ accounts }) => accounts.revokeAdminKey(id))) ?? unknown(id);
      if (json) printJson(revoked);
      else printLine(`Revoked ${revoked.id} (${revoked.name}).`);
    });
}

const keysOf = ({ accounts }: Storage, organizationId: string): Promise<AdminKeyRecord[]> => {
  const all = { order: "desc", after: null, limit: Number.MAX_SAFE_INTEGER } as const;
  return accounts.adminKeysOf({ organizationId, withRevoked: true, ...all });
};

function addScope(text: string, scopes: AdminScope[] = []): AdminScope[] {
  if (!isAdminScope(text)) throw new InvalidArgumentError(`Scopes: ${ADMIN_SCOPES.join(", ")}.`);
  return [...scopes, text];
}

function unknown(id: string): never {
  throw new UsageError(`There is no admin key ${id}. "loquat admin-keys list" lists them.`);
}
