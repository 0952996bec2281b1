/** `loquat audit`: who changed what on the server and in its organizations. */
import { type Command, InvalidArgumentError } from "@commander-js/extra-typings";
import { type AuditScope, openAuditReads } from "../../audit/audit-reads.ts";
import { type AuditRecord, auditPages, sentenceText } from "../../audit/audit-record.ts";
import { ACTOR_TYPES, AUDIT_KINDS } from "../../audit-types.ts";
import { organizationOf, withStorage } from "../base/context.ts";
import { type Column, JSON_OPTION, printList, UsageError } from "../base/output.ts";
import { daysAgo, formatTime, wholeNumber } from "../base/values.ts";

const SHOWN = 50;
const SHOWN_MAX = 10_000;

const COLUMNS: Column<AuditRecord>[] = [
  { title: "TIME", text: ({ effective_at }) => formatTime(effective_at) },
  { title: "EVENT", text: sentenceText },
  { title: "ADDRESS", text: ({ actor }) => actor.ip_address },
  {
    title: "ORGANIZATION",
    text: ({ organization_id, organization_name }) => organization_name ?? organization_id ?? "server",
  },
];

export function audit(command: Command): void {
  command
    .option("--org <id>", "only of this organization (default: of all, and of the server itself)")
    .option("--server", "only of the server itself")
    .option(
      "--event <type>",
      "only of this type or kind, such as api_key.created or billing, repeatable",
      addTypes,
    )
    .option("--actor <who>", "only by this e-mail address, or id of a user or key, repeatable", add)
    .option("--by <kind>", `only by this kind of actor, repeatable: ${ACTOR_TYPES.join(", ")}`, addActorType)
    .option("--project <id>", "only of this project, repeatable", add)
    .option("--resource <id>", "only of what has this id, repeatable", add)
    .option("--days <days>", "only of the last days (default: of all that is kept)", wholeNumber)
    .option("--limit <count>", "how many, newest first", wholeNumber, SHOWN)
    .option(...JSON_OPTION)
    .action(list);
}

type AuditOptions = {
  org?: string | undefined;
  server?: true | undefined;
  event?: string[] | undefined;
  actor?: string[] | undefined;
  by?: string[] | undefined;
  project?: string[] | undefined;
  resource?: string[] | undefined;
  days?: number | undefined;
  limit: number;
  json?: true | undefined;
};

async function list({ org, server, limit, json, ...options }: AuditOptions): Promise<void> {
  if (limit < 1 || limit > SHOWN_MAX) throw new UsageError(`--limit must be 1 to ${SHOWN_MAX}.`);
  if (org !== undefined && server) throw new UsageError("--org and --server exclude each other.");
  const filter = {
    ...{ types: options.event, actorTypes: options.by },
    ...actorsOf(options.actor),
    ...{ projectIds: options.project, resourceIds: options.resource },
    effectiveAt: { gte: options.days === undefined ? undefined : daysAgo(options.days) },
  };
  await withStorage(async (storage) => {
    const ofServer: AuditScope = server ? { organizationId: null } : "everything";
    const scope = org === undefined ? ofServer : { organizationId: await organizationOf(storage, org) };
    const events: AuditRecord[] = [];
    const reads = openAuditReads(storage.database);
    for await (const page of auditPages(reads, { scope, filter, most: limit })) events.push(...page);
    printList(events, { columns: COLUMNS, json });
  });
}

const add = (value: string, before: string[] = []): string[] => [...before, value];

/** A kind stands for its types. */
function addTypes(name: string, before: string[] = []): string[] {
  const kind = AUDIT_KINDS.find(({ id, types }) => id === name || types.some((type) => type === name));
  if (kind) return [...before, ...(kind.id === name ? kind.types : [name])];
  const kinds = AUDIT_KINDS.map(({ id }) => id).join(", ");
  throw new InvalidArgumentError(`Expected a type such as api_key.created, or a kind: ${kinds}.`);
}

function addActorType(name: string, before: string[] = []): string[] {
  if (ACTOR_TYPES.some((type) => type === name)) return [...before, name];
  throw new InvalidArgumentError(`Expected one of ${ACTOR_TYPES.join(", ")}.`);
}

/** Of both, where some are named by their address and some by their id, only events that match both would be left. */
function actorsOf(named: string[] = []) {
  const emails = named.filter((one) => one.includes("@")).map((email) => email.toLowerCase());
  const ids = named.filter((one) => !one.includes("@"));
  if (emails.length > 0 && ids.length > 0)
    throw new UsageError("--actor takes addresses or ids, not both at once.");
  return { ...(emails.length > 0 && { actorEmails: emails }), ...(ids.length > 0 && { actorIds: ids }) };
}
