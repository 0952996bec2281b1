/** Promise: of attempts at one request that overlap one is charged, whichever ends first, and an equal key waits. */
import { beforeEach, expect, test } from "bun:test";
import { errorOf } from "../../harness.ts";
import { holdTasks } from "../../held-tasks.ts";
import { COST, drain, freeHarness, good } from "./free.ts";

const free = freeHarness();
const { spent } = free;
const speak = (headers: Record<string, string>, input: string = good.input) =>
  free.harness.ask("/v1/audio/speech", {
    method: "POST",
    body: JSON.stringify({ ...good, input }),
    headers,
  });
const attempt = (count: number) => ({ "x-stainless-retry-count": String(count) });
const replayed = (response: Response) => response.headers.get("idempotent-replayed");

let tasks: ReturnType<typeof holdTasks>["tasks"];
let arrived: ReturnType<typeof holdTasks>["arrived"];
beforeEach(() => {
  ({ tasks, arrived } = holdTasks(free.harness.parts.registry));
});

test.each([
  ["first", [0, 1]],
  ["second", [1, 0]],
])(
  "an attempt that its client gave up on and the next are charged once if the %s ends first",
  async (_, order) => {
    const first = speak(attempt(0));
    await arrived(1);
    const second = speak(attempt(1));
    await arrived(2);
    const answers = [first, second];
    for (const turn of order) {
      tasks[turn]!.go();
      const answer = await answers[turn]!;
      expect([answer.status, replayed(answer)]).toEqual([200, turn === order[0] ? null : "true"]);
      await drain(answer);
    }
    expect(await spent()).toBe(COST);
  },
);

test("equal requests that are no repetitions are charged each", async () => {
  const both = [speak(attempt(0)), speak(attempt(0))];
  await arrived(2);
  for (const { go } of tasks) go();
  await Promise.all(both.map(async (one) => drain(await one)));
  expect(await spent()).toBe(2 * COST);
});

test("overlapping attempts at other requests are charged", async () => {
  const first = speak(attempt(0));
  await arrived(1);
  const other = speak(attempt(1), "Other text.");
  await arrived(2);
  for (const { go } of tasks) go();
  expect([replayed(await first), replayed(await other)]).toEqual([null, null]);
});

test("a hundred equal keys beside a running one are refused, and take no point of the rate limit", async () => {
  const key = { "idempotency-key": "order-17" };
  const first = speak(key);
  await arrived(1);
  for (const refused of await Promise.all(Array.from({ length: 100 }, () => speak(key)))) {
    expect(refused.headers.get("x-should-retry")).toBe("true");
    expect(refused.headers.get("retry-after")).toBe("1");
    expect(await errorOf(refused)).toMatchObject({ status: 409, code: "idempotency_in_progress" });
  }
  const left = 19; // of the free tier's 20, less the first
  tasks[0]!.go();
  const answer = await first;
  expect([replayed(answer), answer.headers.get("x-ratelimit-remaining-requests")]).toEqual([
    null,
    String(left),
  ]);
  await drain(answer);
  const again = speak(key);
  await arrived(2);
  tasks[1]!.go();
  const second = await again;
  expect([replayed(second), second.headers.get("x-ratelimit-remaining-requests")]).toEqual([
    "true",
    String(left - 1),
  ]);
  await drain(second);
  expect(await spent()).toBe(COST);
});
