/** `loquat project`: projects, which separate the reports of one organization. */
import type { Command } from "@commander-js/extra-typings";
import { type Project, projectRecord } from "../../accounts/organizations.ts";
import { ORG_OPTION, organizationOf, withStorage } from "../base/context.ts";
import { type Column, JSON_OPTION, printJson, printLine, printList, UsageError } from "../base/output.ts";

const COLUMNS: Column<ReturnType<typeof projectRecord>>[] = [
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
        print(await storage.accounts.createProject(await organizationOf(storage, org), name), json);
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
        printList(all.map(projectRecord), { columns: COLUMNS, json });
      }),
    );
  command
    .command("archive")
    .description("Archive a project; its keys stop working")
    .argument("<id>", "the project's id")
    .option(...JSON_OPTION)
    .action((id, { json }) =>
      withStorage(async ({ accounts }) => {
        const archived = await accounts.archiveProject(id);
        if (!archived) throw new UsageError(`There is no project ${id}.`);
        print(archived, json);
      }),
    );
}

function print(changed: Project, json: boolean | undefined): void {
  if (json) printJson(projectRecord(changed));
  else printLine(`${changed.id} ${changed.status}`);
}
