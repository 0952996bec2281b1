/** `loquat keys`: API keys, for operators without a browser. */
import { type Command, InvalidArgumentError } from "@commander-js/extra-typings";
import type { KeyRecord, KeyWithSecret } from "../../accounts/keys.ts";
import { isScope, SCOPES, type Scope } from "../../scopes.ts";
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

const COLUMNS: Column<KeyRecord>[] = [
  "id",
  { title: "NAME", text: ({ name }) => name, cut: true },
  { title: "KEY", text: ({ prefix, last4 }) => `${prefix}…${last4}` },
  "status",
  { title: "LAST USED", text: ({ last_used_at: at }) => formatTime(at) ?? "never" },
];

type JsonOption = { json?: true | undefined };

export function keys(command: Command): void {
  command
    .command("create")
    .description("Create a key and print its secret, once")
    .option("--name <name>", "a name for lists and reports", "unnamed")
    .option("--project <id>", "the project it belongs to (default: the organization's default project)")
    .option(...ORG_OPTION)
    .option("--scope <scope>", `what it may do, repeatable: ${SCOPES.join(", ")} (default: all)`, addScope)
    .option("--days <days>", "days until it expires (default: never)", wholeNumber)
    .option("--test", "create a test key")
    .option(...JSON_OPTION)
    .action(create);
  command
    .command("list")
    .description("List every key")
    .option(...JSON_OPTION)
    .action(async ({ json }) =>
      printList(await withStorage(({ accounts }) => accounts.listKeys()), { columns: COLUMNS, json }),
    );
  command
    .command("rotate")
    .description("Replace a key by a new one with the same rights")
    .argument("<id>", "the key's id")
    .option("--grace <seconds>", "how long the old secret remains valid", wholeNumber, 0)
    .option(...JSON_OPTION)
    .action(async (id, { grace, json }) => {
      const fresh = await withStorage(({ accounts }) => accounts.rotateKey(id, grace));
      printSecret(fresh ?? unknown(id), json);
    });
  command
    .command("revoke")
    .description("Revoke a key at once")
    .argument("<id>", "the key's id")
    .option(...JSON_OPTION)
    .action(revoke);
}

type CreateOptions = JsonOption & {
  name: string;
  project?: string | undefined;
  org?: string | undefined;
  scope?: Scope[] | undefined;
  days?: number | undefined;
  test?: true | undefined;
};

async function create({ name, project, org, scope, days, test, json }: CreateOptions): Promise<void> {
  await withStorage(async (storage) => {
    const projectId =
      project ?? (await storage.accounts.defaultProject(await organizationOf(storage, org)))!.id;
    const created = await storage.accounts.createKey({
      projectId,
      name,
      environment: test ? "test" : "live",
      scopes: scope ?? [...SCOPES],
      expiresAt: days === undefined ? null : daysFromNow(days),
    });
    printSecret(created, json);
  });
}

async function revoke(id: string, { json }: JsonOption): Promise<void> {
  const revoked = (await withStorage(({ accounts }) => accounts.revokeKey(id))) ?? unknown(id);
  if (json) printJson(revoked);
  else printLine(`Revoked ${revoked.id} (${revoked.name}).`);
}

function printSecret({ secret, ...record }: KeyWithSecret, json: boolean | undefined): void {
  if (json) printJson({ ...record, secret });
  else {
    printLine(secret);
    note(`The secret of ${record.id}. It is shown once; store it now.`);
  }
}

function addScope(text: string, scopes: Scope[] = []): Scope[] {
  if (!isScope(text)) throw new InvalidArgumentError(`Scopes: ${SCOPES.join(", ")}.`);
  return [...scopes, text];
}

function unknown(id: string): never {
  throw new UsageError(`There is no key ${id}. "loquat keys list" lists them.`);
}
