/**
 * Promise: a request that is cancelled while it waits for its batch does not run, and holds up no other; urgent requests run
 * between the steps of a batch of others.
 */
import { expect, test } from "bun:test";
import { openBatcher } from "../../../workers/onnx/batcher.ts";

type Request = { name: string; isCancelled: boolean };

/** Batches of two, of which each runs until it is told to end. */
function opened() {
  const batches: string[][] = [];
  const ends: (() => void)[] = [];
  const batched = openBatcher({
    batchMax: 2,
    sizeOf: () => 1,
    isCancelled: (request: Request) => request.isCancelled,
    async run(requests) {
      batches.push(requests.map(({ name }) => name));
      await new Promise<void>((resolve) => ends.push(resolve));
      return requests.map(({ name }) => name.toUpperCase());
    },
  });
  const request = (name: string): Request => ({ name, isCancelled: false });
  return { batches, ends, batched, request };
}

/** The batch runs as soon as its requests have joined it. */
const joined = () => new Promise((resolve) => setImmediate(() => setImmediate(resolve)));

test("a request that is cancelled while it waits is refused, and those behind it run in its place", async () => {
  const { batches, ends, batched, request } = opened();
  const [a, b, c, d, e] = ["a", "b", "c", "d", "e"].map(request);
  const [first, second, third, fourth, fifth] = [a, b, c, d, e].map((each) => batched(each!));
  const refused = third!.catch((reason: Error) => reason.message);
  await joined();
  c!.isCancelled = true;
  ends[0]!();
  expect(await Promise.all([first, second])).toEqual(["A", "B"]);
  expect(await refused).toBe("the request was cancelled");
  await joined();
  ends[1]!();
  expect(await Promise.all([fourth, fifth])).toEqual(["D", "E"]);
  expect(batches).toEqual([
    ["a", "b"],
    ["d", "e"],
  ]);
});

test("a batch of which all requests are cancelled does not run, and the next one does", async () => {
  const { batches, ends, batched, request } = opened();
  const left = { ...request("a"), isCancelled: true };
  expect(await batched(left).catch((reason: Error) => reason.message)).toBe("the request was cancelled");
  const next = batched(request("b"));
  await joined();
  ends[0]!();
  expect(await next).toBe("B");
  expect(batches).toEqual([["b"]]);
});

/** Batches of four whose requests take three steps each. */
function stepped() {
  const steps: string[] = [];
  const batched = openBatcher({
    batchMax: 4,
    sizeOf: () => 1,
    async run(requests: string[], rest) {
      for (let step = 0; step < 3; step++) {
        await rest();
        steps.push(requests.join(""));
        await joined();
      }
      return requests.map((name) => name.toUpperCase());
    },
  });
  return { steps, batched };
}

test("urgent requests run between the steps of a batch that has begun, and it goes on", async () => {
  const { steps, batched } = stepped();
  const files = [batched("a"), batched("b")];
  while (steps.length === 0) await joined();
  expect(await batched("l", true)).toBe("L");
  expect(steps).toEqual(["ab", "l", "l", "l"]);
  expect(await Promise.all(files)).toEqual(["A", "B"]);
  expect(steps).toEqual(["ab", "l", "l", "l", "ab", "ab"]);
});

test("an urgent batch is not interrupted by another one", async () => {
  const { steps, batched } = stepped();
  const first = batched("k", true);
  while (steps.length === 0) await joined();
  expect(await Promise.all([first, batched("l", true)])).toEqual(["K", "L"]);
  expect(steps).toEqual(["k", "k", "k", "l", "l", "l"]);
});
