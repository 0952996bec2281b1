/** Promise: refused data on a socket is received at a limited rate; audio and small errors are not delayed. */
import { describe, expect, setDefaultTimeout, test } from "bun:test";
import { openBudget } from "../../../../src/memory/budget.ts";
import { type HarnessOptions, openHarness } from "../../../harness.ts";
import { quietFor, until } from "../../../until.ts";
import { type Client, dial, MANUAL, scriptedLive, silence } from "./live.ts";

setDefaultTimeout(120_000);

const MIB = 1024 * 1024;
const junk = (sizeBytes: number) => "[".repeat(sizeBytes);
const isReached = async (claim: () => boolean) => {
  await until(claim);
};

/** A server whose refused frames wait until the test answers them. */
async function heldBack(options: HarnessOptions = {}) {
  const waiting: { organizationId: string; sizeBytes: number; answer: () => void }[] = [];
  const refusalPace = (organizationId: string, sizeBytes: number) =>
    new Promise<void>((answer) => waiting.push({ organizationId, sizeBytes, answer }));
  const harness = await openHarness({ services: { live: scriptedLive().live }, refusalPace, ...options });
  return {
    harness,
    waiting,
    async opened(): Promise<Client> {
      const client = await dial(harness);
      await client.until("created");
      return client;
    },
    [Symbol.asyncDispose]: () => harness[Symbol.asyncDispose](),
  };
}

describe("a large frame that is refused", () => {
  test("is answered when the pace of its size allows it", async () => {
    await using server = await heldBack();
    const client = await server.opened();
    client.socket.send(junk(2 * MIB));
    await isReached(() => server.waiting.length > 0);
    const { organizationId } = server.harness;
    expect(server.waiting).toMatchObject([{ organizationId, sizeBytes: 2 * MIB }]);
    expect(client.types()).not.toContain("error");
    server.waiting[0]!.answer();
    expect((await client.until("error")).error).toMatchObject({ code: "invalid_event" });
    await client.closed;
  });

  test("takes no memory while it waits, and nothing more of its socket is read", async () => {
    const budget = openBudget(256 * MIB);
    await using server = await heldBack({ services: { live: scriptedLive().live, budget } });
    const client = await server.opened();
    for (let sent = 0; sent < 6; sent++) client.socket.send(junk(16 * MIB));
    await isReached(() => server.waiting.length > 0);
    expect(budget.heldBytes()).toBe(0);
    await quietFor(200);
    expect(client.socket.bufferedAmount).toBeGreaterThan(32 * MIB); // the rest is in buffers of the system
    server.waiting[0]!.answer();
    await client.closed;
  });

  test("occupies its session's slot until it would be answered, even if its client leaves", async () => {
    await using server = await heldBack({ free: true }); // two sessions at once
    const client = await server.opened();
    const other = await server.opened();
    client.socket.send(junk(2 * MIB));
    await isReached(() => server.waiting.length > 0);
    client.socket.terminate();
    expect(await (await dial(server.harness)).ended()).toMatchObject({ code: "concurrency_limit_exceeded" });
    server.waiting[0]!.answer();
    await isReached(() => server.harness.logged.filter(({ event }) => event === "request").length === 2);
    await server.opened();
    other.close();
  });

  test.each([
    ["audio that is mostly white space", `{"type":"input_audio_buffer.append","audio":"${" ".repeat(MIB)}"}`],
    ["bytes", Buffer.alloc(MIB)],
  ])("is paced too if it is %s", async (_name, frame) => {
    await using server = await heldBack();
    const client = await server.opened();
    client.socket.send(frame);
    await isReached(() => server.waiting.length > 0);
    server.waiting[0]!.answer();
    await client.closed;
  });

  test("is paced too if its organization has no memory left for it", async () => {
    await using server = await heldBack({
      services: { live: scriptedLive().live, budget: openBudget(8 * MIB) },
    });
    const client = await server.opened();
    client.append(new Uint8Array(2 * MIB));
    await isReached(() => server.waiting.length > 0);
    expect(client.types()).not.toContain("error");
    server.waiting[0]!.answer();
    expect(await client.ended()).toMatchObject({ close: 1013, code: "concurrency_limit_exceeded" });
  });

  test("is paced too if its session is ending", async () => {
    const never = { ...scriptedLive().live.open({} as never), finish: async () => {} };
    await using server = await heldBack({ services: { live: { open: () => never } } });
    const client = await server.opened();
    client.update(MANUAL);
    client.append(silence(1));
    client.commit();
    await client.until("committed");
    client.socket.send("no JSON"); // the session ends when its utterance is transcribed
    client.socket.send(junk(MIB));
    await isReached(() => server.waiting.length > 0);
    server.waiting[0]!.answer();
    client.close();
  });
});

test("a small refused frame is answered at once", async () => {
  await using server = await heldBack();
  const [large, small] = [await server.opened(), await server.opened()];
  large.socket.send(junk(2 * MIB));
  await isReached(() => server.waiting.length > 0);
  small.socket.send(junk(60_000));
  expect(await small.ended()).toMatchObject({ code: "invalid_event" });
  expect(large.types()).not.toContain("error");
  server.waiting[0]!.answer();
});

test("nothing is read of a socket until its key is known", async () => {
  await using harness = await openHarness();
  const { accounts } = harness.parts;
  const known = Promise.withResolvers<void>();
  const authenticate = accounts.authenticate.bind(accounts);
  accounts.authenticate = async (secret) => {
    await known.promise;
    return authenticate(secret);
  };
  const client = await dial({ url: harness.url, key: `sk_live_${"x".repeat(40)}` });
  client.socket.send(junk(23 * MIB));
  await quietFor(300);
  expect(client.socket.bufferedAmount).toBeGreaterThan(8 * MIB);
  known.resolve();
  expect(await client.ended()).toMatchObject({ close: 1008, code: "invalid_api_key" });
});

test("a client that keeps opening sockets is answered eight MiB a second, while the audio of another session is not delayed", async () => {
  await using harness = await openHarness({ services: { live: scriptedLive().live } });
  const begun = performance.now();
  let answered = 0;
  const attack = async () => {
    for (let sent = 0; sent < 3; sent++) {
      const client = await dial(harness);
      await client.until("created");
      client.socket.send(junk(2 * MIB));
      await client.ended();
      answered++;
    }
  };
  const attacks = Promise.all(Array.from({ length: 4 }, attack));
  const client = await dial(harness);
  client.update(MANUAL);
  await isReached(() => answered > 0);
  for (let appended = 1; appended <= 3; appended++) {
    client.append(silence(3));
    client.commit();
    await client.until("completed", appended);
  }
  expect(answered).toBeLessThan(10);
  client.close();
  await attacks;
  expect(performance.now() - begun).toBeGreaterThan(2900); // 24 MiB
});

test("an append that is invalid in its last slice appends nothing", async () => {
  await using harness = await openHarness({ services: { live: scriptedLive().live } });
  const client = await dial(harness);
  const audio = Buffer.from(silence(20)).toString("base64");
  expect(audio.length).toBeGreaterThan(MIB); // several slices
  client.send("input_audio_buffer.append", { audio: Buffer.from(silence(1)).toString("base64") });
  client.send("input_audio_buffer.append", { audio: `${audio.slice(0, -4)}QU§D` });
  expect(await client.ended()).toMatchObject({ code: "validation_error", param: "audio" });
  const { ledger } = harness.parts;
  await isReached(() => harness.logged.some(({ event }) => event === "request"));
  const [row] = await ledger.requests(harness.organizationId, 1);
  expect(row).toMatchObject({ audioSeconds: 1 });
});
