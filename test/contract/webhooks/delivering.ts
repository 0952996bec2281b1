/** What deliveries of webhooks must do on every database: each event reaches each endpoint that wants it, signed, and no other. */
import { describe, expect, test } from "bun:test";
import { OpenAI } from "openai";
import { openAccounts } from "../../../src/accounts/accounts.ts";
import { raisedBy, raisedIfNews } from "../../../src/db/queries/event-rows.ts";
import { openDeliveryRows } from "../../../src/db/queries/webhook-deliveries.ts";
import { until } from "../../until.ts";
import type { Receiver } from "../../webhooks/receiver.ts";
import type { AccountFixture } from "../accounts/fresh-accounts.ts";
import { answer, DAY_MS, webhookFixture } from "./webhook-fixture.ts";

export function deliveringContract(store: string, prepare: () => Promise<AccountFixture>) {
  describe(`webhooks, ${store}`, () => {
    const hooks = webhookFixture(prepare);
    const { clock, create, cause, deliveries, first, ids, run } = hooks;

    test("an event reaches the endpoint that wants it, once, with ids and numbers", async () => {
      const { endpoint } = await create();
      const id = await cause({ data: { id: "key_7" } });
      await run();
      await run(DAY_MS);
      expect(ids()).toEqual([id]);
      const [{ headers, body }] = hooks.receiver.received as [Receiver["received"][number]];
      expect(headers.get("user-agent")).toMatch(/^Loquat-Webhooks\/\d/);
      expect(JSON.parse(body)).toMatchObject({
        ...{ id, object: "event", type: "api_key.revoked", organization_id: hooks.mine, project_id: null },
        data: { id: "key_7" },
      });
      expect(await first(endpoint)).toMatchObject({
        ...{
          eventId: id,
          status: "delivered",
          attempts: 1,
          statusCode: 204,
          error: null,
          nextAttemptAt: null,
        },
      });
    });

    test("what a stock client unwraps was signed with the secret, and with no other", async () => {
      const { secret } = await create();
      await cause();
      await run();
      const [{ headers, body }] = hooks.receiver.received as [Receiver["received"][number]];
      const client = new OpenAI({ apiKey: "none", webhookSecret: secret });
      expect((await client.webhooks.unwrap(body, headers, undefined, 10 * DAY_MS)) as object).toMatchObject({
        type: "api_key.revoked",
      });
      const { secret: other } = await create();
      await expect(client.webhooks.unwrap(body, headers, other, 10 * DAY_MS)).rejects.toThrow();
      await expect(client.webhooks.unwrap(`${body} `, headers, undefined, 10 * DAY_MS)).rejects.toThrow();
    });

    test("an endpoint gets nothing that it does not want, and nothing of others", async () => {
      const accounts = openAccounts(hooks.database, clock);
      const [one, other] = [
        await accounts.createProject(hooks.mine, "One"),
        await accounts.createProject(hooks.mine, "Other"),
      ];
      await create(["voice.deleted"]);
      await create(["api_key.revoked"], { organizationId: hooks.theirs });
      const hook = "webhook.endpoint.disabled" as const;
      await create([hook, "voice.created"], { projectId: one.id });
      await cause();
      await cause({ type: hook, projectId: other.id });
      await run();
      expect(hooks.receiver.received).toEqual([]);
      const wanted = [await cause({ type: hook, projectId: one.id }), await cause({ type: "voice.created" })];
      await run();
      expect(ids().toSorted()).toEqual(wanted.toSorted());
    });

    test("neither event nor delivery is written where the cause fails", async () => {
      const { endpoint } = await create();
      const raised = hooks.raised();
      const twice = [...raisedBy(hooks.database, raised), ...raisedBy(hooks.database, raised)];
      await expect(hooks.database.atomically(twice)).rejects.toThrow();
      await run();
      expect([await deliveries(endpoint), ids()]).toEqual([[], []]);
    });

    test("after a rotation both secrets sign for a day, if the old one is kept", async () => {
      const { endpoint, secret: old } = await create();
      const { secret } = await hooks.node.webhooks.rotate(endpoint, true);
      const signs = async () => {
        await cause();
        await run();
        const { headers, body } = hooks.receiver.received.at(-1)!;
        const client = new OpenAI({ apiKey: "none" });
        const isBy = (by: string) =>
          client.webhooks.unwrap(body, headers, by, 10 * DAY_MS).then(
            () => true,
            () => false,
          );
        return [await isBy(old), await isBy(secret)];
      };
      expect(await signs()).toEqual([true, true]);
      clock.pass(DAY_MS);
      expect(await signs()).toEqual([false, true]);
      await hooks.node.webhooks.rotate(endpoint, false);
      expect(await signs()).toEqual([false, false]);
    });

    test("of two nodes, each event is sent by one", async () => {
      const two = hooks.openNode("two");
      await create();
      const raised = await Promise.all(Array.from({ length: 30 }, () => cause()));
      await Promise.all([hooks.node.work.run(), two.work.run()]);
      await until(() => hooks.receiver.received.length >= 30);
      await Promise.all([hooks.node.work.run(), two.work.run()]);
      expect(ids().toSorted()).toEqual(raised.toSorted());
    });

    test("an organization has twenty endpoints, made one after another or at once, and others have theirs", async () => {
      for (let count = 0; count < 18; count++) await create();
      const made = await Promise.allSettled(Array.from({ length: 6 }, () => create()));
      expect(made.filter(({ status }) => status === "fulfilled").length).toBe(2);
      await expect(create()).rejects.toMatchObject({ code: "too_many_webhooks" });
      await create(["voice.created"], { organizationId: hooks.theirs });
    });

    test("endpoints of the server get its events and payments of every organization, and nothing else of them", async () => {
      const wants = ["node.lost", "payment.failed", "organization.created"] as const;
      const { endpoint } = await create([...wants], { organizationId: null });
      await create(["payment.failed"], { organizationId: hooks.theirs });
      expect(endpoint).toMatchObject({ organizationId: null, projectId: null });
      const accounts = openAccounts(hooks.database, clock);
      const { id: made } = await accounts.createOrganization("New");
      await cause();
      await cause({ type: "voice.created" });
      await cause({ type: "payment.failed" });
      await cause({ type: "node.lost", organizationId: null, data: { id: "node-1", version: "1" } });
      await run();
      const arrived = hooks.receiver.received.map(({ body }) => JSON.parse(body));
      expect(arrived.map(({ type }) => type).toSorted()).toEqual([...wants].toSorted());
      expect(arrived.find(({ type }) => type === "organization.created").data).toEqual({ id: made });
      expect(
        await hooks.node.webhooks.find({ organizationId: hooks.mine, projectId: null }, endpoint.id),
      ).toBeNull();
      const replayed = await hooks.node.webhooks.replay(endpoint, { from: 0, before: 1e10 });
      expect(replayed.events).toBe(3 + 2); // the organizations of the fixture
    });

    test("a state of the server is told when it changes, once by several nodes", async () => {
      await create(["upstream.out", "upstream.up"], { organizationId: null });
      const states = { types: ["upstream.out", "upstream.up"], usual: "upstream.up" };
      const see = async (type: "upstream.out" | "upstream.up", upstream = "far") => {
        clock.pass(10);
        const raised = () => hooks.raised({ type, organizationId: null, data: { upstream } });
        await Promise.all(Array.from({ length: 4 }, () => raisedIfNews(hooks.database, raised(), states)));
      };
      for (const type of ["upstream.up", "upstream.out", "upstream.out", "upstream.up"] as const)
        await see(type);
      await see("upstream.out", "other");
      await run();
      const arrived = hooks.receiver.received.map(({ body }) => JSON.parse(body));
      expect(arrived.map(({ type, data }) => `${data.upstream} ${type}`).toSorted()).toEqual([
        ...["far upstream.out", "far upstream.up", "other upstream.out"],
      ]);
    });

    test("endpoints of archived projects get no events of all projects", async () => {
      const accounts = openAccounts(hooks.database, clock);
      const project = await accounts.createProject(hooks.mine, "Old");
      await create(["voice.created"], { projectId: project.id });
      await cause({ type: "voice.created" });
      await accounts.archiveProject(project.id);
      await cause({ type: "voice.created" });
      await run();
      expect(hooks.receiver.received.length).toBe(1);
    });

    test("what is deleted gets nothing more", async () => {
      const { endpoint } = await create();
      hooks.receiver.answers.push(answer(500));
      await cause();
      await run();
      await hooks.node.webhooks.remove(endpoint);
      await cause();
      await run(5 * DAY_MS);
      expect(hooks.receiver.received.length).toBe(1);
      expect(await hooks.database.query.select().from(hooks.database.tables.work)).toEqual([]);
    });

    test("a secret is stored encrypted, and nothing is sent unsigned where it cannot be read", async () => {
      const { endpoint, secret } = await create();
      const { webhookEndpoint } = hooks.database.tables;
      const rows = await hooks.database.query.select().from(webhookEndpoint);
      expect(JSON.stringify(rows)).not.toContain(secret.slice("whsec_".length));
      const { secret: sealed } = (await create()).endpoint;
      await hooks.database.query.update(webhookEndpoint).set({ secret: sealed });
      await cause();
      await run();
      expect((await first(endpoint)).error).toContain("encrypted with another LOQUAT_SECRET");
      expect(hooks.receiver.received.length).toBe(1); // to the second one, whose own it is
    });

    test("deliveries are forgotten with the time", async () => {
      const { endpoint } = await create();
      await cause();
      await run();
      expect(await openDeliveryRows(hooks.database).forget((await first(endpoint)).createdAt + 1)).toBe(
        false,
      );
      expect(await deliveries(endpoint)).toEqual([]);
    });
  });
}
