/** Promise: of a thousand endpoints, those that hang keep no event from the others, and an organization of such keeps few slots. */
import { afterAll, beforeAll, expect, test } from "bun:test";
import { openAccounts } from "../../src/accounts/accounts.ts";
import { raisedBy } from "../../src/db/queries/event-rows.ts";
import { openEndpointRows } from "../../src/db/queries/webhook-endpoints.ts";
import { openRaising } from "../../src/events/raising.ts";
import { type Harness, openHarness } from "../harness.ts";
import { until } from "../until.ts";
import { openReceiver, type Receiver } from "./receiver.ts";

const ORGANIZATIONS = 50;
const ENDPOINTS = 20; // of each

let harness: Harness;
let receiver: Receiver;
let organizations: string[];
beforeAll(async () => {
  receiver = openReceiver();
  harness = await openHarness({
    environment: { LOQUAT_OUTBOUND_NETWORKS: "127.0.0.0/8" },
    writer: "thread", // as on a server, since its writes would hold up deliveries
  });
  const { database, webhooks, clock } = harness.parts;
  const accounts = openAccounts(database, clock);
  organizations = [];
  for (let number = 0; number < ORGANIZATIONS; number++) {
    const { id: organizationId } = await accounts.createOrganization(`Organization ${number}`);
    organizations.push(organizationId);
    const wants = { organizationId, projectId: null, name: "Hook", eventTypes: ["voice.created" as const] };
    const made = Array.from({ length: ENDPOINTS }, (_, at) =>
      webhooks.create({ ...wants, url: `${receiver.url}${number}/${at}` }),
    );
    await Promise.all(made);
  }
}, 120_000);
afterAll(async () => {
  receiver[Symbol.dispose]();
  await harness[Symbol.asyncDispose]();
});

/** An event of each organization. */
async function happen(): Promise<void> {
  const { database, clock, work } = harness.parts;
  const raise = openRaising(clock);
  for (const organizationId of organizations)
    await database.atomically(raisedBy(database, raise({ type: "voice.created", organizationId, data: {} })));
  work.wake();
}
const paths = () => receiver.received.map(({ path }) => path);

test("while one endpoint hangs, the other 999 get theirs", async () => {
  receiver.hangsAt.add("/7/7");
  await happen();
  await until(() => receiver.received.length >= ORGANIZATIONS * ENDPOINTS);
  expect(new Set(paths()).size).toBe(ORGANIZATIONS * ENDPOINTS);
  expect(receiver.most()).toBeLessThanOrEqual(64);
  receiver.release();
  await harness.parts.work.run();
  expect(receiver.received.length).toBe(ORGANIZATIONS * ENDPOINTS);
  const counted = 'loquat_webhook_attempts_total{outcome="delivered"} 1000';
  expect(await harness.parts.metrics.text()).toContain(counted);
});

test("endpoints that have failed wait for each other, and not those that work for them", async () => {
  const { database } = harness.parts;
  receiver.hangsAt.clear();
  receiver.received.length = 0;
  for (let at = 0; at < ENDPOINTS; at++) receiver.hangsAt.add(`/3/${at}`);
  const owner = { organizationId: organizations[3]!, projectId: null };
  const { failed } = openEndpointRows(database);
  for (const { id } of await harness.parts.webhooks.list(owner, { after: null, limit: 100 }))
    await database.atomically([failed(id)]);
  await happen();
  const others = () => paths().filter((path) => !path.startsWith("/3/")).length;
  await until(() => others() === (ORGANIZATIONS - 1) * ENDPOINTS);
  expect(paths().filter((path) => path.startsWith("/3/")).length).toBe(16);
  receiver.hangsAt.clear();
  receiver.release();
});
