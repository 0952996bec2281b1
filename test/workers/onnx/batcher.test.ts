/**
 * Promise: a request that is cancelled while it waits for its batch does not run, and holds up no other; requests of a lower
 * rank run first, and between the steps of a batch of others, also where another batcher of the engine runs them.
 */
import { expect, test } from "bun:test";
import { openBatcher, SharedProcessor } from "../../../workers/onnx/batcher.ts";

type Request = { name: string; isCancelled: boolean };

/** Batches of two, of which each runs until it is told to end. */
function opened(now = () => 0) {
  const batches: string[][] = [];
  const ends: (() => void)[] = [];
  const batched = openBatcher({
    batchMax: 2,
    sizeOf: () => 1,
    isCancelled: (request: Request) => request.isCancelled,
    now,
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
function stepped(processor = new SharedProcessor(), steps: string[] = []) {
  const batched = openBatcher({
    batchMax: 4,
    sizeOf: () => 1,
    processor,
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

const LAST = 3;

test("requests of a lower rank run between the steps of a batch that has begun, and it goes on", async () => {
  const { steps, batched } = stepped();
  const files = [batched("a", LAST), batched("b", LAST)];
  while (steps.length === 0) await joined();
  expect(await batched("l", 0)).toBe("L");
  expect(steps).toEqual(["ab", "l", "l", "l"]);
  expect(await Promise.all(files)).toEqual(["A", "B"]);
  expect(steps).toEqual(["ab", "l", "l", "l", "ab", "ab"]);
});

test("a batch of the first rank is not interrupted", async () => {
  const { steps, batched } = stepped();
  const first = batched("k", 0);
  while (steps.length === 0) await joined();
  expect(await Promise.all([first, batched("l", 0)])).toEqual(["K", "L"]);
  expect(steps).toEqual(["k", "k", "k", "l", "l", "l"]);
});

test("those that wait run by their rank, each in a batch of its own", async () => {
  const { steps, batched } = stepped();
  const all = [batched("k", 0), batched("d", 3), batched("c", 2), batched("b", 1), batched("a", 0)];
  await Promise.all(all);
  expect([...new Set(steps)]).toEqual(["ka", "b", "c", "d"]);
});

test("a batch waits between its steps while another batcher of the engine runs one of a lower rank", async () => {
  const { processor, steps } = { processor: new SharedProcessor(), steps: [] as string[] };
  const [encoder, decoder] = [stepped(processor, steps), stepped(processor, steps)];
  const file = decoder.batched("f", LAST);
  while (steps.length === 0) await joined();
  const live = encoder.batched("l", 1);
  while (!steps.includes("l")) await joined();
  const next = decoder.batched("m", 2);
  expect(await Promise.all([live, next, file])).toEqual(["L", "M", "F"]);
  expect(steps.filter((step, index) => step !== steps[index - 1]).at(-1)).toBe("f");
  expect(steps.indexOf("m")).toBeGreaterThan(steps.lastIndexOf("l"));
});

test("a batch goes on by a step after each that it gave way to", async () => {
  const { steps, batched } = stepped();
  const file = batched("f", LAST);
  while (steps.length === 0) await joined();
  let over = false;
  const flood = async () => {
    while (!over) await batched("l", 0);
  };
  const floods = [flood(), flood(), flood()];
  expect(await file).toBe("F");
  over = true;
  await Promise.all(floods);
});

test("a request that has waited long has its turn before lower ranks, in one batch with those of its own", async () => {
  const clock = { ms: 0 };
  const { batches, ends, batched, request } = opened(() => clock.ms);
  const all = [batched(request("a"), 0), batched(request("f"), LAST)];
  await joined();
  clock.ms = 10_000;
  all.push(batched(request("l"), 2), batched(request("g"), LAST));
  for (const _ of ["a", "fg", "l"]) {
    ends.at(-1)!();
    await joined();
  }
  await Promise.all(all);
  expect(batches).toEqual([["a"], ["f", "g"], ["l"]]);
});
