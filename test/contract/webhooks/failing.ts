/** What becomes of deliveries that fail, on every database: attempts by the schedule, endpoints that are switched off, and sending again. */
import { describe, expect, test } from "bun:test";
import { until } from "../../until.ts";
import { openReceiver } from "../../webhooks/receiver.ts";
import type { AccountFixture } from "../accounts/fresh-accounts.ts";
import { answer, DAY_MS, failures, HOUR_MS, SECOND_MS, webhookFixture } from "./webhook-fixture.ts";

export function failingContract(store: string, prepare: () => Promise<AccountFixture>) {
  describe(`webhooks that fail, ${store}`, () => {
    const hooks = webhookFixture(prepare);
    const { create, cause, deliveries, first, reread, ids, run } = hooks;

    test("a failed delivery is attempted ten times by the schedule, with the same id", async () => {
      const { endpoint } = await create();
      hooks.receiver.answers.push(...failures(10));
      const id = await cause();
      await run();
      const pauses = [
        5 * SECOND_MS,
        300 * SECOND_MS,
        HOUR_MS / 2,
        ...[2, 5, 10, 14, 20, 24].map((h) => h * HOUR_MS),
      ];
      for (const [at, pauseMs] of pauses.entries()) {
        expect(await first(endpoint)).toMatchObject({ status: "pending", attempts: at + 1, statusCode: 500 });
        await run(pauseMs - SECOND_MS);
        expect(hooks.receiver.received.length).toBe(at + 1);
        await run(SECOND_MS);
        expect(hooks.receiver.received.length).toBe(at + 2);
      }
      expect(new Set(ids())).toEqual(new Set([id]));
      expect(await first(endpoint)).toMatchObject({ status: "failed", attempts: 10, nextAttemptAt: null });
      await run(7 * DAY_MS);
      expect(hooks.receiver.received.length).toBe(10);
    });

    test("a delivery that fails twice arrives with the third attempt", async () => {
      const { endpoint } = await create();
      hooks.receiver.answers.push(answer(500), answer(301, { location: `${hooks.receiver.url}other` }));
      await cause();
      await run();
      await run(5 * SECOND_MS);
      expect((await first(endpoint)).error).toBe("It answered 301, and redirects are not followed.");
      await run(300 * SECOND_MS);
      expect(hooks.receiver.received.map(({ path }) => path)).toEqual(["/", "/", "/"]);
      expect(await first(endpoint)).toMatchObject({ status: "delivered", attempts: 3, error: null });
      expect((await reread(endpoint)).failures).toBe(0);
    });

    test("a busy endpoint is attempted again when it says", async () => {
      await create();
      hooks.receiver.answers.push(answer(429, { "retry-after": "3600" }));
      await cause();
      await run();
      await run(3599 * SECOND_MS);
      expect(hooks.receiver.received.length).toBe(1);
      await run(SECOND_MS);
      expect(hooks.receiver.received.length).toBe(2);
    });

    test("an endpoint that is gone is switched off, and its owners are hooks.told once", async () => {
      const { endpoint } = await create();
      hooks.receiver.answers.push(answer(410));
      await cause();
      await run();
      expect(await reread(endpoint)).toMatchObject({ status: "disabled", disabledReason: "gone" });
      expect((await first(endpoint)).status).toBe("failed");
      expect(hooks.told).toEqual([
        { organizationId: hooks.mine, text: expect.stringContaining(endpoint.id) },
      ]);
      await cause();
      await run(DAY_MS);
      expect([hooks.receiver.received.length, hooks.told.length]).toEqual([1, 1]);
    });

    test("an endpoint that never answered well is switched off after ten failures and three days", async () => {
      const { endpoint } = await create();
      hooks.receiver.answers.push(...failures(30));
      for (let count = 0; count < 10; count++) {
        await cause();
        await run();
      }
      expect((await reread(endpoint)).status).toBe("enabled");
      await cause();
      await run(3 * DAY_MS + SECOND_MS);
      expect(await reread(endpoint)).toMatchObject({ status: "disabled", disabledReason: "failing" });
      expect(hooks.told.length).toBe(1);
    });

    test("an endpoint that answered well within seven days stays on, and is switched off after them", async () => {
      const { endpoint } = await create();
      await cause();
      await run();
      hooks.receiver.answers.push(...failures(200));
      for (let day = 0; day < 6; day++)
        for (let count = 0; count < 2; count++) await run((await cause()) ? DAY_MS / 2 : 0);
      expect((await reread(endpoint)).status).toBe("enabled");
      await cause();
      await run(2 * DAY_MS);
      expect((await reread(endpoint)).status).toBe("disabled");
    });

    test("an endpoint that is on again is hooks.told what it missed, and gets it by a replay", async () => {
      const { endpoint } = await create();
      const off = await hooks.node.webhooks.change(endpoint, { status: "disabled" });
      const missed = [await cause(), await cause()];
      await run(60 * SECOND_MS);
      expect(ids()).toEqual([]);
      await expect(hooks.node.webhooks.replay(off, { from: 0, before: 1e10 })).rejects.toThrow(
        "switched off",
      );
      const on = await hooks.node.webhooks.change(off, { status: "enabled" });
      expect(on).toMatchObject({ status: "enabled", disabledReason: null });
      await run();
      expect(hooks.receiver.received.map(({ body }) => JSON.parse(body))).toMatchObject([
        {
          type: "webhook.endpoint.disabled",
          data: { id: endpoint.id, reason: "requested", missed_events: 2 },
        },
      ]);
      expect(await hooks.node.webhooks.replay(on, { from: off.disabledAt!, before: 1e10 })).toMatchObject({
        events: 2,
      });
      await run();
      expect(ids().slice(1).toSorted()).toEqual(missed.toSorted());
    });

    test("a delivery that is sent again has the same id, and is attempted anew", async () => {
      const { endpoint } = await create();
      hooks.receiver.answers.push(answer(410));
      const id = await cause();
      await run();
      const on = await hooks.node.webhooks.change(await reread(endpoint), { status: "enabled" });
      const failed = (await deliveries(on)).find(({ eventId }) => eventId === id)!;
      await hooks.node.webhooks.retry(on, failed.id);
      await run();
      expect(ids().filter((each) => each === id)).toEqual([id, id]);
      expect((await deliveries(on)).find(({ eventId }) => eventId === id)).toMatchObject({
        ...{ status: "delivered", attempts: 1 },
      });
      const { endpoint: other } = await create(["voice.created"]);
      expect(await hooks.node.webhooks.retry(other, failed.id)).toBeNull();
    });

    test("one that waits for its next attempt is attempted at once when it is sent again", async () => {
      const { endpoint } = await create();
      hooks.receiver.answers.push(...failures(3));
      await cause();
      await run();
      await run(5 * SECOND_MS);
      await run(300 * SECOND_MS);
      await hooks.node.webhooks.retry(endpoint, (await first(endpoint)).id);
      await run();
      expect(hooks.receiver.received.length).toBe(4);
      expect((await first(endpoint)).status).toBe("delivered");
      await run(DAY_MS);
      expect(hooks.receiver.received.length).toBe(4);
    });

    test("an endpoint that hangs delays no other, and gets four attempts at once", async () => {
      using other = openReceiver();
      await create();
      await create(["api_key.revoked"], { url: other.url });
      hooks.receiver.answers.push(...Array.from({ length: 20 }, () => "hang" as const));
      for (let count = 0; count < 10; count++) await cause();
      hooks.node.work.wake();
      await until(() => other.received.length === 10);
      expect([hooks.receiver.received.length, hooks.receiver.most()]).toEqual([4, 4]);
      hooks.receiver.answers.length = 0;
      hooks.receiver.release();
      await run();
      expect([hooks.receiver.received.length, hooks.receiver.most()]).toEqual([10, 4]);
    });
  });
}
