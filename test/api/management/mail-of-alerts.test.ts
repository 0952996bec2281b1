/** Promise: an address that is no member's gets mail of alerts only after it agreed, by a button and not by opening its link. */
import { afterAll, beforeAll, expect, test } from "bun:test";
import { errorOf } from "../../harness.ts";
import { type MailServer, openMailServer } from "./mail-server.ts";
import { anonymous, type Person, refusalOf } from "./people.ts";

const OUTSIDE = "finance@elsewhere.example";

type Alert = { id: string; pending_recipients: string[]; unsubscribed_recipients: string[] };

let server: MailServer;
let owner: Person;
let alertsAt: string;
beforeAll(async () => {
  server = await openMailServer();
  owner = await server.arrive("ada@example.com");
  alertsAt = `/api/organizations/${server.harness.organizationId}/spend-alerts`;
});
afterAll(() => server[Symbol.asyncDispose]());

const alertFor = (...recipients: string[]) => ({
  ...{ threshold_amount: 500, notification_channel: { type: "email", recipients } },
});
const answer = (token: string | null, wants: boolean) =>
  anonymous(server.harness).ask("/api/mail-of-alerts", { token, wants });

test("an address agrees without an account, and ends it by the link of an alert", async () => {
  const { harness, post } = server;
  const made = await owner.json<Alert>(alertsAt, alertFor("ada@example.com", OUTSIDE));
  expect(made).toMatchObject({ pending_recipients: [OUTSIDE], unsubscribed_recipients: [] });
  const read = () => owner.json<Alert>(`${alertsAt}/${made.id}`);
  const question = await post.take(OUTSIDE);
  expect(question.text).toContain("without your consent no alerts are sent to you");
  const link = new URL(/https?:\/\/\S+/.exec(question.text)![0]);
  expect(link.pathname).toBe("/mail-of-alerts");
  expect((await fetch(link)).status).toBe(200);
  expect((await fetch(link, { method: "HEAD" })).status).toBe(200);
  expect((await read()).pending_recipients).toEqual([OUTSIDE]);

  const agreed = await answer(link.searchParams.get("token"), true);
  expect([agreed.status, await agreed.json()]).toEqual([
    200,
    { object: "mail_of_alerts", email: OUTSIDE, state: "confirmed", organization: expect.any(String) },
  ]);
  expect(await read()).toMatchObject({ pending_recipients: [], unsubscribed_recipients: [] });

  const { accounts, ledger } = harness.parts;
  const { id: keyId, project_id: projectId } = (await accounts.listKeys())[0]!;
  await ledger.charge({
    ...{ id: "req_1.0", requestId: "req_1", organizationId: harness.organizationId, projectId, keyId },
    ...{ environment: "live", plan: "prepaid", endpoint: "/v1/audio/speech", model: "svc-tts1" },
    ...{ unit: "character", quantity: 1, priceMicros: 1, costMicros: 5_000_000 },
    createdAt: Math.floor(harness.clock.now() / 1000),
  });
  await harness.parts.work.run();
  expect((await post.take("ada@example.com", "Spend alert")).text).toContain("/usage");
  const stop = await post.link(OUTSIDE, "Spend alert");
  expect(stop.pathname).toBe("/mail-of-alerts");
  expect((await answer(stop.searchParams.get("token"), false)).status).toBe(200);
  expect(await read()).toMatchObject({ unsubscribed_recipients: [OUTSIDE] });
  const events = await owner.json<{ data: { type: string; actor: { type: string } }[] }>(
    `/api/organizations/${harness.organizationId}/audit-events?limit=50`,
  );
  const told = events.data.filter(({ type }) => type.startsWith("spend_alert.recipient"));
  expect(told.map(({ type, actor }) => `${type} ${actor.type}`).toSorted()).toEqual([
    "spend_alert.recipient_confirmed system",
    "spend_alert.recipient_unsubscribed system",
  ]);
});

test("the balance alert tells addresses besides the owners", async () => {
  const { harness, post } = server;
  const billing = `/api/organizations/${harness.organizationId}/billing`;
  const put = (body: object) => owner.ask(`${billing}/balance-alert`, body, { method: "PUT" });
  const set = { balance_alert_micros: 5_000_000, balance_alert_recipients: ["Books@elsewhere.example"] };
  expect(await (await put(set)).json()).toMatchObject({
    balance_alert_recipients: [{ email: "books@elsewhere.example", state: "pending" }],
  });
  const link = await post.link("books@elsewhere.example");
  await answer(link.searchParams.get("token"), true);
  const states = async () =>
    (await owner.json<{ balance_alert_recipients: object[] }>(billing)).balance_alert_recipients;
  expect(await states()).toEqual([{ email: "books@elsewhere.example", state: "confirmed" }]);
  expect((await put({ balance_alert_micros: 6_000_000 })).status).toBe(200);
  expect((await states()).length).toBe(1);
  expect(await errorOf(await put({ ...set, balance_alert_recipients: ["x y@z"] }))).toMatchObject({
    ...{ status: 422, code: "validation_error", param: "balance_alert_recipients.0" },
  });
});

test.each([
  ["a link of another server", "alerts.e30.x", "400 invalid_token"],
  ["no token of this kind", "x", "400 invalid_token"],
  ["no token", null, "422 validation_error"],
])("%s is refused", async (_, token, refusal) => {
  expect(await refusalOf(answer(token, true))).toBe(refusal);
});
