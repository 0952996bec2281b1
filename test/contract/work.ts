/** What the table of work must do on every database: each row is done at least once, by one process at a time, and ends. */
import { afterEach, beforeEach, describe, expect, test } from "bun:test";
import type { Database } from "../../src/db/database.ts";
import { addsOf, type NewWork, openWorkRows } from "../../src/db/queries/work-rows.ts";
import { openLog } from "../../src/log/log.ts";
import type { Handler } from "../../src/work/attempt.ts";
import { openWork, type Work } from "../../src/work/work-queue.ts";
import { heldClock } from "../harness.ts";
import { until } from "../until.ts";
import type { AccountFixture } from "./accounts/fresh-accounts.ts";

const MINUTE_MS = 60_000;
const RULES = {
  attemptsMax: 3,
  pauseMs: (attempts: number) => attempts * MINUTE_MS,
  atOnce: 4,
  groupAtOnce: 2,
};
const LEASE_MS = 30_000;

type Line = { level: string; event: string; id?: string; kind?: string; attempts?: number };

export function workContract(store: string, prepare: () => Promise<AccountFixture>) {
  describe(`work, ${store}`, () => {
    let fixture: AccountFixture;
    let stack: AsyncDisposableStack;
    let clock: ReturnType<typeof heldClock>;
    let logged: Line[];
    beforeEach(async () => {
      fixture = await prepare();
      stack = new AsyncDisposableStack();
      clock = heldClock();
      logged = [];
    });
    afterEach(async () => {
      await stack.disposeAsync();
      await fixture[Symbol.asyncDispose]();
    });

    type Node = Work & { database: Database; done: string[] };

    /** A node that does rows of the kind "call" as told; without that, well. */
    async function openNode(handler: Partial<Handler> = {}, nodeMax?: number): Promise<Node> {
      const database = stack.use(await fixture.open());
      const log = openLog("debug", (line) => logged.push(JSON.parse(line)));
      const most = nodeMax === undefined ? {} : { nodeMax };
      const work = stack.use(openWork({ rows: openWorkRows(database), node: "test", clock, log, ...most }));
      const done: string[] = [];
      const attempt: Handler["attempt"] = async (task) => {
        const adds = (await handler.attempt?.(task)) ?? [];
        done.push(task.id);
        return adds;
      };
      work.handle("call", { rules: RULES, ...handler, attempt });
      return { ...work, database, done };
    }

    const row = (id: string, more: Partial<NewWork> = {}): NewWork => ({
      ...{ id, kind: "call", dueMs: clock.now(), payload: "{}" },
      ...more,
    });
    const stored = ({ database: { query, tables } }: Node) => query.select().from(tables.work);
    const fails = () => Promise.reject(new Error("no answer"));
    const givenUp = () => logged.filter(({ event }) => event === "work_given_up");

    test("a row is done when it is due, once, and deleted", async () => {
      const node = await openNode();
      await node.add([row("now"), row("later", { dueMs: clock.now() + MINUTE_MS })]);
      await node.run();
      expect(node.done).toEqual(["now"]);
      clock.pass(MINUTE_MS);
      await node.run();
      await node.run();
      expect([node.done, await stored(node)]).toEqual([["now", "later"], []]);
    });

    test("a row that was added by its process is done without a look of the timer", async () => {
      const node = await openNode();
      await node.add([row("one")]);
      await until(() => node.done.length === 1);
    });

    test("a row that another process added is done within seconds", async () => {
      const node = await openNode();
      await openWorkRows(node.database).add([row("other")]);
      await until(() => node.done.length === 1);
    });

    test("an id that is known is not added again", async () => {
      const node = await openNode({ attempt: fails });
      await node.add([row("one", { payload: "first" })]);
      await node.run();
      await node.add([row("one", { payload: "second" })]);
      expect(await stored(node)).toMatchObject([{ payload: "first", attempts: 1 }]);
    });

    test("a row that fails is tried again after its pauses, and given up after its attempts", async () => {
      const node = await openNode({ attempt: fails });
      await node.add([row("one")]);
      await node.run();
      for (const [attempts, minutes] of [
        [1, 1],
        [2, 2],
      ] as const) {
        expect(await stored(node)).toMatchObject([
          { attempts, dueMs: clock.now() + minutes * MINUTE_MS, leaseNode: null, leaseUntilMs: 0 },
        ]);
        clock.pass(minutes * MINUTE_MS - 1);
        await node.run();
        expect((await stored(node))[0]!.attempts).toBe(attempts);
        clock.pass(1);
        await node.run();
      }
      expect(await stored(node)).toEqual([]);
      expect(givenUp()).toMatchObject([{ level: "error", id: "one", kind: "call", attempts: 3 }]);
    });

    test("a failure says when it is tried again, or that it is not", async () => {
      const dueMs = clock.now() + 5 * MINUTE_MS;
      const later = await openNode({ attempt: fails, failureOf: () => ({ dueMs }) });
      await later.add([row("later")]);
      await later.run();
      expect(await stored(later)).toMatchObject([{ dueMs, attempts: 1 }]);
      later.drain(); // otherwise it may claim the other row
      const never = await openNode({ attempt: fails, failureOf: () => ({ isFinal: true }) });
      clock.pass(5 * MINUTE_MS);
      await never.add([row("never")]);
      await never.run();
      expect((await stored(never)).map(({ id }) => id)).not.toContain("never");
    });

    test("what a row leads to is added in the transaction that ends it", async () => {
      const node = await openNode({
        attempt: async ({ id }) => (id === "first" ? [row("second"), row("third")] : []),
      });
      await node.add([row("first")]);
      await node.run();
      expect([node.done.toSorted(), await stored(node)]).toEqual([["first", "second", "third"], []]);
    });

    test("a row of a process that was killed is done by another once its lease is over", async () => {
      const node = await openNode();
      node.drain(); // it must neither claim nor renew by itself
      await node.database.query
        .insert(node.database.tables.work)
        .values({ ...row("one"), attempts: 1, leaseNode: "killed", leaseUntilMs: clock.now() + LEASE_MS });
      clock.pass(LEASE_MS - 1);
      expect(await claimedBy(node, 1)).toEqual([]); // the lease still holds
      clock.pass(1);
      expect(await claimedBy(node, 1)).toEqual(["one"]);
    });

    /** What a process without leases of its own would get. */
    const claimedBy = async ({ database }: Node, max: number) => {
      const nowMs = clock.now();
      const lease = { node: "other", nowMs, leaseUntilMs: nowMs + LEASE_MS };
      const rows = await openWorkRows(database).claim({ kind: "call", max, groupMax: 2, ...lease });
      return rows.map(({ id }) => id);
    };

    test("a payload that ends every process is given up after its attempts, and logged", async () => {
      const node = await openNode();
      await node.database.query
        .insert(node.database.tables.work)
        .values({ ...row("poison"), attempts: 3, leaseNode: "killed", leaseUntilMs: clock.now() });
      await node.run();
      expect([node.done, await stored(node)]).toEqual([[], []]);
      expect(givenUp()).toMatchObject([{ id: "poison" }]);
    });

    test("a lease is renewed while its row is done", async () => {
      const held = Promise.withResolvers<[]>();
      const node = await openNode({ attempt: () => held.promise });
      await node.add([row("long")]);
      await until(async () => (await stored(node))[0]?.leaseNode);
      const other = await openNode();
      for (let turn = 0; turn < 6; turn++) {
        clock.pass(LEASE_MS / 2);
        const endMs = clock.now() + LEASE_MS;
        await until(async () => (await stored(node))[0]!.leaseUntilMs === endMs);
      }
      held.resolve([]);
      await until(async () => (await stored(node)).length === 0);
      expect([node.done, other.done]).toEqual([["long"], []]);
    });

    test("a node that lost its lease is told, and changes the row no more", async () => {
      const aborted = Promise.withResolvers<void>();
      const node = await openNode({
        attempt: ({ signal }) =>
          new Promise((_, reject) => {
            signal.addEventListener("abort", () => {
              aborted.resolve();
              reject(signal.reason);
            });
          }),
      });
      await node.add([row("one")]);
      const { query, tables } = node.database;
      await until(async () => (await stored(node))[0]?.leaseNode);
      await query
        .update(tables.work)
        .set({ leaseNode: "other", leaseUntilMs: clock.now() + 10 * MINUTE_MS, attempts: 2 });
      clock.pass(LEASE_MS);
      await aborted.promise;
      await node.run();
      expect(await stored(node)).toMatchObject([{ leaseNode: "other", attempts: 2 }]);
    });

    test("a node that is drained gives its rows back, and claims no more", async () => {
      const node = await openNode({
        attempt: ({ signal }) =>
          new Promise((_, reject) => signal.addEventListener("abort", () => reject(signal.reason))),
      });
      await node.add([row("one")]);
      await until(async () => (await stored(node))[0]?.leaseNode);
      node.drain();
      await until(async () => (await stored(node))[0]?.leaseNode === null);
      expect(await stored(node)).toMatchObject([{ attempts: 0, leaseUntilMs: 0, dueMs: clock.now() }]);
      await node.run();
      const other = await openNode();
      await other.run();
      expect([node.done, other.done]).toEqual([[], ["one"]]);
    });

    test("a row that is begun where it is added answers how its first attempt ended", async () => {
      const node = await openNode({ attempt: async ({ id }) => (id === "bad" ? fails() : []) });
      expect(await (await node.begin(row("good"))).first).toBe("done");
      expect(await (await node.begin(row("bad"))).first).toBe("again");
      expect(await stored(node)).toMatchObject([{ id: "bad", attempts: 1 }]);
    });

    test("a node does no more rows at once than of their kind, of their group and in all", async () => {
      const open = new Map<string, () => void>();
      const attempt: Handler["attempt"] = ({ id }) =>
        new Promise((resolve) => open.set(id, () => resolve([])));
      const node = await openNode({ attempt });
      const grouped = (group: string, count: number) =>
        Array.from({ length: count }, (_, index) => row(`${group}${index}`, { group }));
      await node.add([...grouped("a", 50), ...grouped("b", 1), ...grouped("c", 1)]);
      await until(() => open.size === 4);
      expect([...open.keys()].toSorted()).toEqual(["a0", "a1", "b0", "c0"]); // a group that hangs delays no other
      expect((await node.begin(row("late"))).first).toBeNull();
      const small = await openNode({ attempt }, 1);
      await until(() => open.size === 5);
      expect((await small.begin(row("later"))).first).toBeNull();
    });

    test("several nodes do each of many rows once", async () => {
      const nodes = [await openNode(), await openNode(), await openNode()];
      const ids = Array.from({ length: 200 }, (_, index) => `row_${String(index).padStart(3, "0")}`);
      await openWorkRows(nodes[0]!.database).add(ids.map((id) => row(id)));
      await Promise.all(nodes.map((node) => node.run()));
      await until(async () => (await stored(nodes[0]!)).length === 0);
      expect(nodes.flatMap(({ done }) => done).toSorted()).toEqual(ids);
    });

    test("a row is deleted when it expires, done or not", async () => {
      const node = await openNode({ attempt: fails });
      await node.add([row("soon", { expiresMs: clock.now() + 30_000 })]);
      await node.run();
      expect(await stored(node)).toEqual([]); // its next attempt would be too late
      await node.database.query
        .insert(node.database.tables.work)
        .values(row("other", { kind: "unknown here", expiresMs: clock.now() + MINUTE_MS }));
      clock.pass(MINUTE_MS);
      await node.run();
      expect(await stored(node)).toEqual([]);
    });

    test("rows of a transaction are added with their cause, or not at all", async () => {
      const node = await openNode();
      const { database } = node;
      const { organization } = database.tables;
      const named = (id: string) =>
        database.query.insert(organization).values({ id, name: id, status: "active", createdAt: 1 });
      await database.atomically([named("org_1"), ...addsOf(database, [row("one", { dueMs: 9e15 })])]);
      await database.atomically([named("org_1"), ...addsOf(database, [row("two")])]).catch(() => {});
      expect((await stored(node)).map(({ id }) => id)).toEqual(["one"]);
    });

    test("a payload beyond 64 KB is refused", async () => {
      const node = await openNode();
      await expect(node.add([row("long", { payload: "x".repeat(65_537) })])).rejects.toThrow("too long");
    });
  });
}
