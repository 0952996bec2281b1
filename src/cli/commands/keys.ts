/** `loquat keys`: API keys, for operators without a browser. */
import { type Command, InvalidArgumentError } from "@commander-js/extra-typings";
import type { KeyRecord, KeyWithSecret } from "../../accounts/key-record.ts";
import { usedOf, withBudgetUse } from "../../budget-use.ts";
import { isScope, SCOPES, type Scope, USUAL_SCOPES } from "../../scopes.ts";
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
import {
  budgetColumns,
  describeRestrictions,
  networksOrNone,
  type Restricting,
  restricting,
  restrictionsOf,
} from "../base/restrictions.ts";
import { daysFromNow, formatTime, wholeNumber } from "../base/values.ts";

const COLUMNS: Column<Omit<KeyRecord, "budget_period">>[] = [
  "id",
  { title: "NAME", text: ({ name }) => name, cut: true },
  { title: "KEY", text: ({ prefix, last4 }) => `${prefix}…${last4}` },
  "status",
  { title: "LAST USED", text: ({ last_used_at: at }) => formatTime(at) ?? "never" },
];

const ADDRESSES = [
  "--addresses <networks|none>",
  "the only addresses and networks of its clients, with commas between them",
  networksOrNone,
] as const;

type JsonOption = { json?: true | undefined };

export function keys(command: Command): void {
  restricting(
    command
      .command("create")
      .description("Create a key and print its secret, once")
      .option("--name <name>", "a name for lists and reports", "unnamed")
      .option("--project <id>", "the project it belongs to (default: the organization's default project)")
      .option(...ORG_OPTION)
      .option(
        "--scope <scope>",
        `what it may do, repeatable: ${SCOPES.join(", ")} (default: all but webhook:manage)`,
        addScope,
      )
      .option("--days <days>", "days until it expires (default: never)", wholeNumber)
      .option("--test", "create a test key"),
  )
    .option(...ADDRESSES)
    .option(...JSON_OPTION)
    .action(create);
  restricting(
    command
      .command("set")
      .description("Change a key's name or what it may use at most; what is not named stays")
      .argument("<id>", "the key's id")
      .option("--name <name>", "a name for lists and reports"),
  )
    .option(...ADDRESSES)
    .option("--reset-budget", "begin its budget again, unused")
    .option(...JSON_OPTION)
    .action(set);
  command
    .command("list")
    .description("List every key")
    .option(...JSON_OPTION)
    .action(async ({ json }) => {
      const all = await withStorage(async ({ accounts, ledger }) =>
        withBudgetUse(ledger, await accounts.listKeys()),
      );
      printList(all, { columns: [...COLUMNS, ...budgetColumns(all)], json });
    });
  command
    .command("rotate")
    .description("Replace a key by a new one with the same rights")
    .argument("<id>", "the key's id")
    .option("--grace <seconds>", "how long the old secret remains valid", wholeNumber, 0)
    .option(...JSON_OPTION)
    .action(async (id, { grace, json }) => {
      const fresh = await withStorage(async ({ accounts, ledger }) =>
        usedOf(ledger, (await accounts.rotateKey(id, grace)) ?? unknown(id)),
      );
      printSecret(fresh, json);
    });
  command
    .command("revoke")
    .description("Revoke a key at once")
    .argument("<id>", "the key's id")
    .option(...JSON_OPTION)
    .action(revoke);
}

type CreateOptions = JsonOption &
  Restricting & {
    name: string;
    project?: string | undefined;
    org?: string | undefined;
    scope?: Scope[] | undefined;
    days?: number | undefined;
    test?: true | undefined;
  };

async function create(options: CreateOptions): Promise<void> {
  const { name, project, org, scope, days, test, json } = options;
  const restrictions = restrictionsOf(options);
  await withStorage(async (storage) => {
    const projectId =
      project ?? (await storage.accounts.defaultProject(await organizationOf(storage, org)))!.id;
    const created = await storage.accounts.createKey({
      projectId,
      name,
      environment: test ? "test" : "live",
      scopes: scope ?? [...USUAL_SCOPES],
      expiresAt: days === undefined ? null : daysFromNow(days),
      ...(restrictions !== undefined && { restrictions }),
    });
    printSecret(await usedOf(storage.ledger, created), json);
  });
}

type SetOptions = JsonOption & Restricting & { name?: string | undefined; resetBudget?: true | undefined };

async function set(id: string, { name, resetBudget, json, ...options }: SetOptions): Promise<void> {
  const changed = await withStorage(async ({ accounts, ledger }) => {
    const key = (await accounts.key(id)) ?? unknown(id);
    const restrictions = restrictionsOf(options, key.restrictions);
    const after = await accounts.updateKey(id, {
      ...(name !== undefined && { name }),
      ...(restrictions !== undefined && { restrictions }),
      ...(resetBudget && { resetBudget }),
    });
    return usedOf(ledger, after ?? unknown(id));
  });
  if (json) printJson(changed);
  else printLine(`${id}: ${describeRestrictions(changed.restrictions)}`);
}

async function revoke(id: string, { json }: JsonOption): Promise<void> {
  const revoked = await withStorage(async ({ accounts, ledger }) =>
    usedOf(ledger, (await accounts.revokeKey(id)) ?? unknown(id)),
  );
  if (json) printJson(revoked);
  else printLine(`Revoked ${revoked.id} (${revoked.name}).`);
}

type Made = Omit<KeyWithSecret, "budget_period">;

function printSecret({ secret, ...record }: Made, json: boolean | undefined): void {
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
