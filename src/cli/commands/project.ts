/** `loquat project`: projects, which separate the reports of one organization. */
import type { Command } from "@commander-js/extra-typings";
import { type Project, projectRecord } from "../../accounts/projects.ts";
import { withBudgetUse } from "../../budget-use.ts";
import { systemClock, unixSeconds } from "../../clock.ts";
import { type NewRestrictions, restrictionsRecord } from "../../restrictions.ts";
import type { Storage } from "../../server/storage.ts";
import { ORG_OPTION, organizationOf, withStorage } from "../base/context.ts";
import { type Column, JSON_OPTION, printJson, printLine, printList, UsageError } from "../base/output.ts";
import {
  budgetColumns,
  describeRestrictions,
  type Restricting,
  restricting,
  restrictionsIn,
  restrictionsOf,
} from "../base/restrictions.ts";

type ProjectRecord = Awaited<ReturnType<typeof shownProjects>>[number];

const COLUMNS: Column<ProjectRecord>[] = [
  "id",
  { title: "NAME", text: ({ name }) => name, cut: true },
  "status",
  { title: "DEFAULT", text: ({ is_default }) => (is_default ? "yes" : "no") },
];

export function project(command: Command): void {
  command
    .command("create")
    .description("Create a project")
    .argument("<name>", "its name")
    .option(...ORG_OPTION)
    .option(...JSON_OPTION)
    .action((name, { org, json }) =>
      withStorage(async (storage) => {
        const made = await storage.accounts.createProject(await organizationOf(storage, org), name);
        await print(storage, made, json);
      }),
    );
  command
    .command("list")
    .description("List an organization's projects")
    .option(...ORG_OPTION)
    .option(...JSON_OPTION)
    .action(({ org, json }) =>
      withStorage(async (storage) => {
        const all = await storage.accounts.listProjects(await organizationOf(storage, org));
        const rows = await shownProjects(storage, all);
        printList(rows, { columns: [...COLUMNS, ...budgetColumns(rows)], json });
      }),
    );
  restricting(
    command
      .command("set")
      .description("Change a project's name or what it may use at most; what is not named stays")
      .argument("<id>", "the project's id")
      .option("--name <name>", "its name"),
  )
    .option("--default-key-restrictions <json|none>", "what its new keys have", (text) =>
      text === "none" ? text : restrictionsIn(text),
    )
    .option("--reset-budget", "begin its budget again, unused")
    .option(...JSON_OPTION)
    .action(set);
  command
    .command("archive")
    .description("Archive a project; its keys stop working")
    .argument("<id>", "the project's id")
    .option(...JSON_OPTION)
    .action((id, { json }) =>
      withStorage(async (storage) => {
        await print(storage, (await storage.accounts.archiveProject(id)) ?? unknown(id), json);
      }),
    );
}

type SetOptions = Restricting & {
  name?: string | undefined;
  defaultKeyRestrictions?: NewRestrictions | "none" | undefined;
  resetBudget?: true | undefined;
  json?: true | undefined;
};

async function set(id: string, options: SetOptions): Promise<void> {
  const { name, resetBudget, defaultKeyRestrictions: ofKeys, json } = options;
  const record = await withStorage(async (storage) => {
    const { accounts } = storage;
    const project = (await accounts.project(id)) ?? unknown(id);
    const restrictions = restrictionsOf(options, restrictionsRecord(project.restrictions));
    if (restrictions?.addresses) throw new UsageError("Addresses are those of keys: use loquat keys set.");
    const changed = await accounts.updateProject(id, {
      ...(name !== undefined && { name }),
      ...(restrictions !== undefined && { restrictions }),
      ...(ofKeys !== undefined && { defaultKeyRestrictions: ofKeys === "none" ? null : ofKeys }),
      ...(resetBudget && { resetBudget }),
    });
    return (await shownProjects(storage, [changed ?? unknown(id)]))[0]!;
  });
  if (json) printJson(record);
  else printLine(`${id}: ${describeRestrictions(record.restrictions)}`);
}

const shownProjects = ({ ledger }: Pick<Storage, "ledger">, projects: Project[]) =>
  withBudgetUse(
    ledger,
    projects.map((each) => projectRecord(each, unixSeconds(systemClock))),
  );

function unknown(id: string): never {
  throw new UsageError(`There is no project ${id}.`);
}

async function print(storage: Storage, changed: Project, json: boolean | undefined): Promise<void> {
  if (json) printJson((await shownProjects(storage, [changed]))[0]);
  else printLine(`${changed.id} ${changed.status}`);
}
