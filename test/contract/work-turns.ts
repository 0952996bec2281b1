/** How rows of work follow one another, on every database: within their groups, without needless looks. */
import { afterEach, beforeEach, describe, expect, test } from "bun:test";
import { type NewWork, openWorkRows } from "../../src/db/queries/work-rows.ts";
import { openLog } from "../../src/log/log.ts";
import type { Handler } from "../../src/work/attempt.ts";
import { openWork } from "../../src/work/work-queue.ts";
import { heldClock } from "../harness.ts";
import { until } from "../until.ts";
import type { AccountFixture } from "./accounts/fresh-accounts.ts";

const MINUTE_MS = 60_000;
const RULES = { attemptsMax: 3, pauseMs: () => MINUTE_MS, atOnce: 4, groupAtOnce: 2 };

export function workTurnsContract(store: string, prepare: () => Promise<AccountFixture>) {
  describe(`work in turns, ${store}`, () => {
    let fixture: AccountFixture;
    let stack: AsyncDisposableStack;
    let clock: ReturnType<typeof heldClock>;
    beforeEach(async () => {
      fixture = await prepare();
      stack = new AsyncDisposableStack();
      clock = heldClock();
    });
    afterEach(async () => {
      await stack.disposeAsync();
      await fixture[Symbol.asyncDispose]();
    });

    /** A node that does rows of the kind "call". `claimed`: called at each claim. */
    async function openNode(attempt: Handler["attempt"], claimed = () => {}) {
      const database = stack.use(await fixture.open());
      const rows = openWorkRows(database);
      const claim: typeof rows.claim = (asked) => {
        claimed();
        return rows.claim(asked);
      };
      const log = openLog("error", () => {});
      const work = stack.use(openWork({ rows: { ...rows, claim }, node: "test", clock, log }));
      work.handle("call", { rules: RULES, attempt });
      return { ...work, rows, database };
    }

    type Node = Awaited<ReturnType<typeof openNode>>;

    const row = (id: string, more: Partial<NewWork> = {}): NewWork => ({
      ...{ id, kind: "call", dueMs: clock.now(), payload: "{}" },
      ...more,
    });
    const grouped = (group: string, count: number) =>
      Array.from({ length: count }, (_, index) => row(`${group}${index}`, { group }));
    const stored = ({ database: { query, tables } }: Node) => query.select().from(tables.work);

    test("rows of a group follow one another, no more at once than may be, and leave slots that others wait for", async () => {
      const open: (() => void)[] = [];
      let [underWay, most] = [0, 0];
      const [begun, done]: [string[], string[]] = [[], []];
      const attempt: Handler["attempt"] = ({ id }) => {
        const { promise, resolve } = Promise.withResolvers<[]>();
        most = Math.max(most, ++underWay);
        begun.push(id);
        open.push(() => {
          underWay--;
          done.push(id);
          resolve([]);
        });
        return promise;
      };
      const node = await openNode(attempt);
      await node.add(grouped("a", 20));
      await until(() => open.length === 2);
      while (done.length < 10) {
        await until(() => open.length > 0);
        open.shift()!();
      }
      expect(most).toBe(2);
      await node.add(grouped("b", 20));
      await until(() => underWay === 4);
      await node.add([row("c", { group: "c", dueMs: clock.now() - 1 })]);
      open.shift()!(); // its slot is the only one that is free
      await until(() => underWay === 4);
      expect(begun.at(-1)).toBe("c");
      await until(async () => {
        for (const end of open.splice(0)) end();
        return (await stored(node)).length === 0;
      });
      expect([done.length, new Set(done).size, most]).toEqual([41, 41, 4]);
    });

    test("while what is due has no room, a node seldom looks for it", async () => {
      let looks = 0;
      const held = Promise.withResolvers<[]>();
      const node = await openNode(
        () => held.promise,
        () => looks++,
      );
      await node.add(grouped("a", 10));
      await until(() => looks > 1);
      const begunMs = performance.now();
      const before = looks;
      for (let count = 0; count < 100; count++) {
        node.wake();
        await node.rows.dueKinds(["call"], clock.now());
      }
      expect(looks - before).toBeLessThanOrEqual(3 + (performance.now() - begunMs) / 50);
      held.resolve([]);
      await node.run();
      expect(await stored(node)).toEqual([]);
    });
  });
}
