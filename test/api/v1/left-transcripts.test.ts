/** Promise: a client that leaves pays for what was recognized until then, and for the rest only if it asks again. */
import { beforeEach, describe, expect, test } from "bun:test";
import { type AddressInfo, connect, createServer, type Socket } from "node:net";
import OpenAI from "openai";
import { wavHeader } from "../../../src/audio/pcm.ts";
import { installedFamilies } from "../../../src/engine/families/installed.ts";
import { errorOf } from "../../harness.ts";
import { holdRecognitions } from "../../held-recognitions.ts";
import { until } from "../../until.ts";
import { form } from "./form.ts";
import { freeHarness, SECOND } from "./free.ts";

const hears = installedFamilies().has("sphinx");
const unlessRecognition = hears ? "" : " (skipped: libpocketsphinx is not installed)";
const SECONDS = 10;
const RATE = 8000;
/** The stand-in decides what is said in it. */
const wav = Buffer.concat([wavHeader(SECONDS * RATE, RATE), Buffer.alloc(2 * SECONDS * RATE, "loquat")]);
const KEY = { "idempotency-key": "order-17" };
const attempt = (count: number) => ({ "x-stainless-retry-count": String(count) });

const free = freeHarness();
const { spent } = free;
let begun: ReturnType<typeof holdRecognitions>["begun"];
beforeEach(async () => {
  const { parts, organizationId } = free.harness;
  const most = { requestsPerMinute: 1e6, ttsCharactersPerMinute: 1e6, sttSecondsPerMinute: 1e6 };
  await parts.accounts.setLimits(organizationId, { ...most, concurrentRequests: 2 });
  ({ begun } = holdRecognitions(parts.registry));
});

const ended = (count: number) =>
  until(() => free.harness.logged.filter(({ event }) => event === "request").length === count);
/** What is stored of the requests, in the order in which they ended. */
async function rows() {
  const { parts, organizationId, logged } = free.harness;
  const stored = await Promise.all(
    logged
      .filter(({ event }) => event === "request")
      .map(async ({ id, status }) => {
        let row = null;
        await until(async () => {
          row = await parts.ledger.request(organizationId, id as string);
          return row?.status === status;
        });
        return row!;
      }),
  );
  return stored.map(({ status, costMicros, replayOf }) => [status, costMicros, replayOf !== null]);
}

/** A client that can leave. */
function transcribe(headers: Record<string, string> = {}, fields: [string, string][] = []) {
  const left = new AbortController();
  const { signal } = left;
  const sent = form([["model", "svc-stt1"], ...fields, ["file", wav]]);
  const answer = free.harness.ask("/v1/audio/transcriptions", {
    ...sent,
    ...{ signal, headers: { ...sent.headers, ...headers } },
  });
  answer.catch(() => {});
  return { answer, leave: () => left.abort() };
}

/** Leaves once so many seconds are recognized; `turn`: of the request on this server, from 1. */
async function leaveAfter(seconds: number, turn: number, headers: Record<string, string> = {}) {
  const { leave } = transcribe(headers);
  const recognition = await begun(turn);
  if (seconds > 0) await recognition.recognizes(seconds);
  leave();
  await ended(turn);
}

async function complete(turn: number, headers: Record<string, string> = {}, fields: [string, string][] = []) {
  const { answer } = transcribe(headers, fields);
  const recognition = await begun(turn);
  await recognition.recognizes(SECONDS);
  recognition.ends();
  const response = await answer;
  expect(response.status).toBe(200);
  await response.text();
  await ended(turn);
  return response;
}

describe.skipIf(!hears)(`a client that leaves${unlessRecognition}`, () => {
  test("pays for what was recognized until then", async () => {
    await leaveAfter(4, 1);
    expect(await rows()).toEqual([[499, 4 * SECOND, false]]);
    expect(await spent()).toBe(4 * SECOND);
    const { ledger } = free.harness.parts;
    expect(await ledger.totals(free.harness.organizationId)).toMatchObject({ audioSeconds: 4, requests: 0 });
  });

  test("pays nothing before anything was recognized, whatever it sends next", async () => {
    await leaveAfter(0, 1, KEY);
    expect(await rows()).toEqual([[499, 0, false]]);
    await complete(2, KEY);
    expect(await rows()).toEqual([
      [499, 0, false],
      [200, SECONDS * SECOND, false],
    ]);
  });

  test("never pays for more than its recording has", async () => {
    await leaveAfter(SECONDS + 5, 1);
    expect(await spent()).toBe(SECONDS * SECOND);
  });

  test("pays again for another request", async () => {
    await leaveAfter(4, 1);
    await complete(2);
    expect(await spent()).toBe((4 + SECONDS) * SECOND);
  });

  test("pays nothing where the ledger cannot take its charge, and the whole when it asks again", async () => {
    const { ledger } = free.harness.parts;
    const real = ledger.charge.bind(ledger);
    ledger.charge = () => Promise.reject(new Error("the store is gone"));
    await leaveAfter(4, 1, KEY);
    ledger.charge = real;
    expect(await rows()).toEqual([[499, 0, false]]);
    await complete(2, KEY);
    expect(await spent()).toBe(SECONDS * SECOND);
  });
});

describe.skipIf(!hears).each([
  ["its Idempotency-Key", () => KEY],
  ["a count of its attempts", attempt],
])(`a client that left and asks again with %s${unlessRecognition}`, (_name, headers) => {
  test("pays for the rest, and for replays nothing", async () => {
    await leaveAfter(4, 1, headers(0));
    expect((await complete(2, headers(1))).headers.get("idempotent-replayed")).toBeNull();
    expect((await complete(3, headers(2))).headers.get("idempotent-replayed")).toBe("true");
    expect(await rows()).toEqual([
      [499, 4 * SECOND, false],
      [200, 6 * SECOND, false],
      [200, 0, true],
    ]);
    expect(await spent()).toBe(SECONDS * SECOND);
  });

  test("and leaves again, earlier and later, pays for the furthest", async () => {
    await leaveAfter(4, 1, headers(0));
    await leaveAfter(2, 2, headers(1));
    await leaveAfter(7, 3, headers(2));
    expect((await rows()).map(([, costMicros]) => costMicros)).toEqual([4 * SECOND, 0, 3 * SECOND]);
    expect(await spent()).toBe(7 * SECOND);
  });

  test("pays for a stream what it received, and for the rest of the repeated one", async () => {
    const stream: [string, string][] = [["stream", "true"]];
    const { answer, leave } = transcribe(headers(0), stream);
    const first = await begun(1);
    await first.recognizes(3);
    const reader = (await answer).body!.getReader();
    await reader.read();
    leave();
    await ended(1);
    expect(await rows()).toEqual([[499, 3 * SECOND, false]]);
    await complete(2, headers(1), stream);
    expect(await rows()).toEqual([
      [499, 3 * SECOND, false],
      [200, 7 * SECOND, false],
    ]);
  });
});

describe.skipIf(!hears)(`a request that was left${unlessRecognition}`, () => {
  test("is taken over five times under its key", async () => {
    for (let turn = 1; turn <= 6; turn++) await leaveAfter(4, turn, KEY);
    const refused = await transcribe(KEY).answer;
    expect(await errorOf(refused)).toMatchObject({ status: 409, code: "idempotency_key_used" });
    expect(await spent()).toBe(4 * SECOND);
  });

  test("is taken over twice by counted attempts, and then begun anew", async () => {
    for (let turn = 1; turn <= 4; turn++) await leaveAfter(4, turn, attempt(turn - 1));
    expect(await spent()).toBe(2 * 4 * SECOND);
  });

  test.each(["left", "completed"])("pays its part once where its repetition is %s before", async (how) => {
    const { leave } = transcribe(attempt(0));
    const first = await begun(1);
    first.lingers();
    await first.recognizes(4);
    leave();
    const second = transcribe(attempt(1));
    const recognition = await begun(2);
    await recognition.recognizes(6);
    if (how === "left") second.leave();
    else recognition.ends();
    if (how === "completed") expect((await second.answer).status).toBe(200);
    await ended(1);
    first.ends();
    await ended(2);
    expect(await spent()).toBe({ left: 6, completed: SECONDS }[how]! * SECOND);
  });

  test("charges what was recognized and not read yet of a stream", async () => {
    const { answer, leave } = transcribe({}, [["stream", "true"]]);
    const recognition = await begun(1);
    await recognition.recognizes(1);
    await answer;
    await recognition.recognizes(9);
    leave();
    await ended(1);
    expect(await rows()).toEqual([[499, 9 * SECOND, false]]);
  });
});

test.skipIf(!hears)(
  `OpenAI's library pays once where its connection breaks off and it asks again${unlessRecognition}`,
  async () => {
    const { hostname, port } = new URL(free.harness.url);
    const sockets: Socket[] = [];
    const between = createServer((client) => {
      const server = connect(Number(port), hostname);
      sockets.push(client);
      for (const one of [client, server]) one.on("error", () => {});
      client.pipe(server).pipe(client);
      client.on("close", () => server.destroy());
    });
    await new Promise<void>((resolve) => between.listen(0, "127.0.0.1", resolve));
    try {
      const address = between.address() as AddressInfo;
      const client = new OpenAI({ apiKey: free.harness.key, baseURL: `http://127.0.0.1:${address.port}/v1` });
      const file = new File([Uint8Array.from(wav)], "a.wav");
      const answer = client.audio.transcriptions.create({ model: "svc-stt1", file });
      await (await begun(1)).recognizes(4);
      for (const socket of sockets.splice(0)) socket.destroy();
      const second = await begun(2);
      await second.recognizes(SECONDS);
      second.ends();
      expect((await answer).text).toBe("word0");
      await ended(2);
      expect((await rows()).map(([, costMicros]) => costMicros)).toEqual([4 * SECOND, 6 * SECOND]);
    } finally {
      for (const socket of sockets) socket.destroy();
      await new Promise((resolve) => between.close(resolve));
    }
  },
);
