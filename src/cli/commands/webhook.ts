/** `loquat webhook`: endpoints that get the events of the server. */
import { type Command, InvalidArgumentError } from "@commander-js/extra-typings";
import { systemClock } from "../../clock.ts";
import { readConfig } from "../../config/config.ts";
import { serverSecrets } from "../../db/encryption.ts";
import { type EventType, eventTypesFor } from "../../events/event-types.ts";
import { openGuard } from "../../net/guarded-request.ts";
import type { Storage } from "../../server/storage.ts";
import type { Endpoint } from "../../webhooks/endpoints.ts";
import { type ManagedWebhooks, openManagedWebhooks } from "../../webhooks/outgoing-webhooks.ts";
import { endpointRecord, withSecret } from "../../webhooks/webhook-record.ts";
import { withStorage } from "../base/context.ts";
import {
  type Column,
  JSON_OPTION,
  note,
  printJson,
  printLine,
  printList,
  UsageError,
} from "../base/output.ts";

const SERVER = { organizationId: null, projectId: null };
const TYPES = eventTypesFor(SERVER);
const ENDPOINTS_MAX = 100;

const COLUMNS: Column<ReturnType<typeof endpointRecord>>[] = [
  "id",
  { title: "NAME", text: ({ name }) => name, cut: true },
  { title: "URL", text: ({ url }) => url, cut: true },
  "status",
  { title: "EVENTS", text: ({ event_types: types }) => String(types.length) },
];

export function webhook(command: Command): void {
  command
    .command("add")
    .description("Add an endpoint and print its signing secret, once")
    .argument("<url>", "where events are sent: an address on the public network, by https")
    .option("--name <name>", "a name for lists", "unnamed")
    .option("--event <type>", `what it gets, repeatable: ${TYPES.join(", ")} (default: all)`, addType)
    .option(...JSON_OPTION)
    .action((url, { name, event: eventTypes = TYPES, json }) =>
      withWebhooks(async (webhooks) => {
        const made = await webhooks.create({ ...SERVER, name, url, eventTypes });
        if (json) return printJson(withSecret(made));
        printLine(made.secret);
        note(`The signing secret of ${made.endpoint.id}. It is shown once; store it now.`);
      }),
    );
  command
    .command("list")
    .description("List the endpoints of the server, newest first")
    .option(...JSON_OPTION)
    .action(({ json }) =>
      withWebhooks(async (webhooks) => {
        const all = await webhooks.list(SERVER, { after: null, limit: ENDPOINTS_MAX });
        printList(all.map(endpointRecord), { columns: COLUMNS, json });
      }),
    );
  command
    .command("test")
    .description("Send a sample event to an endpoint, and print the status of its answer")
    .argument("<id>", "the endpoint's id")
    .option("--event <type>", "of which a sample is sent (default: the first that it gets)", eventType)
    .action((id, { event }) =>
      withWebhooks(async (webhooks) => {
        const endpoint = await found(webhooks, id);
        const type = event ?? endpoint.eventTypes[0]!;
        const status = await webhooks.test(endpoint, type, new AbortController().signal);
        printLine(`${endpoint.url} answered ${status} to ${type}.`);
      }),
    );
  command
    .command("remove")
    .description("Remove an endpoint")
    .argument("<id>", "the endpoint's id")
    .action((id) => withWebhooks(async (webhooks) => webhooks.remove(await found(webhooks, id))));
}

const withWebhooks = (work: (webhooks: ManagedWebhooks) => Promise<void>) =>
  withStorage(({ database, accounts }: Storage) => {
    const { outbound, identity } = readConfig();
    const secrets = serverSecrets(identity, accounts);
    return work(openManagedWebhooks({ database, guard: openGuard(outbound), secrets, clock: systemClock }));
  });

async function found(webhooks: ManagedWebhooks, id: string): Promise<Endpoint> {
  const endpoint = await webhooks.find(SERVER, id);
  if (endpoint === null)
    throw new UsageError(`There is no webhook endpoint ${id}. "loquat webhook list" lists them.`);
  return endpoint;
}

function eventType(text: string): EventType {
  const type = TYPES.find((each) => each === text);
  if (type === undefined) throw new InvalidArgumentError(`Events: ${TYPES.join(", ")}.`);
  return type;
}

const addType = (text: string, types: EventType[] = []): EventType[] => [
  ...new Set([...types, eventType(text)]),
];
