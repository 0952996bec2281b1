/** Promise: no client and no failed engine of one session affects another session. */
import { describe, expect, setDefaultTimeout, test } from "bun:test";
import { connect, type Socket } from "node:net";
import { installedFamilies } from "../../src/engine/families/installed.ts";
import { closing, type Runner } from "../../src/engine/runner.ts";
import { openVadStreams } from "../../src/realtime/vad-streams.ts";
import { dial, MANUAL, scriptedLive, silence } from "../api/v1/realtime/live.ts";
import { openHarness } from "../harness.ts";
import { plainWordErrors } from "../wer.ts";

setDefaultTimeout(300_000);

const recognition = installedFamilies().has("sphinx");
const unlessRecognition = recognition ? "" : " (skipped: libpocketsphinx is not installed)";

describe("a flood of audio", () => {
  test("waits at the socket while the engine is thirty seconds behind, and is all transcribed", async () => {
    let behind = 40;
    const { live, opened } = scriptedLive();
    const slow = { open: (listener: never) => ({ ...live.open(listener), behindSeconds: () => behind }) };
    await using harness = await openHarness({ services: { live: slow } });
    const client = await dial(harness);
    client.update(MANUAL);
    client.append(silence(1)); // from here on the engine is behind
    await client.until("updated");
    await Bun.sleep(50);
    const chunk = silence(5);
    for (let index = 0; index < 100; index++) client.append(chunk);
    client.commit();
    await Bun.sleep(500);
    expect(client.socket.bufferedAmount).toBeGreaterThan(5_000_000);
    expect(client.types()).not.toContain("committed");
    behind = 0;
    opened[0]!.progressed();
    const { usage } = await client.until("completed");
    expect(usage).toEqual({ type: "duration", seconds: 501 });
    client.close();
  });
});

/** A client that says much and reads nothing. */
async function deaf(url: string, key: string): Promise<Socket> {
  const { hostname, port } = new URL(url);
  const socket = connect(Number(port), hostname);
  await new Promise<void>((resolve) => socket.once("connect", resolve));
  socket.write(
    [
      "GET /v1/realtime?intent=transcription HTTP/1.1",
      `Host: ${hostname}`,
      "Upgrade: websocket",
      "Connection: Upgrade",
      "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==",
      "Sec-WebSocket-Version: 13",
      `Authorization: Bearer ${key}`,
      "\r\n",
    ].join("\r\n"),
  );
  await new Promise<void>((resolve) => socket.once("data", () => resolve()));
  socket.pause();
  socket.on("error", () => {});
  return socket;
}

/** A masked text frame, by a mask of zeros. */
function frame(text: string): Buffer {
  const payload = Buffer.from(text);
  const head = Buffer.from([0x81, 0x80 | 126, payload.length >> 8, payload.length & 255, 0, 0, 0, 0]);
  return Buffer.concat([head, payload]);
}

test("a client that does not read is disconnected, without an effect on other sessions", async () => {
  await using harness = await openHarness({ services: { live: scriptedLive().live } });
  const neighbour = await dial(harness);
  const socket = await deaf(harness.url, harness.key);
  const question = frame(JSON.stringify({ type: "session.update", session: {}, padding: "x".repeat(100) }));
  const questions = Buffer.concat(Array.from({ length: 1000 }, () => question));
  const ended = () => harness.logged.some(({ event }) => event === "request");
  for (let asked = 0; asked < 200 && !ended(); asked++) {
    socket.write(questions);
    await Bun.sleep(5);
  }
  while (!ended()) await Bun.sleep(5);
  neighbour.update({});
  await neighbour.until("updated");
  neighbour.close();
  socket.destroy();
});

test("a client that answers no ping is disconnected at the next one", async () => {
  await using harness = await openHarness({ services: { live: scriptedLive().live } });
  const neighbour = await dial(harness);
  const socket = await deaf(harness.url, harness.key);
  const left = new Promise((resolve) => socket.once("close", resolve));
  for (let ping = 0; ping < 2; ping++) {
    harness.clock.pass(30_000);
    await Bun.sleep(1200); // the second hand
  }
  socket.resume();
  await left;
  neighbour.update({});
  await neighbour.until("updated");
  neighbour.close();
});

describe("a VAD stream with a lost thread", () => {
  test("ends its own sessions with an error, and the next session gets a new one", async () => {
    let opened = 0;
    const thread = (): Runner => {
      const broken = opened++ === 0;
      return {
        async run<T>(task: object): Promise<T> {
          if (broken) throw closing();
          const { feed } = task as { feed: { id: number; bytes: Uint8Array }[] };
          return feed.map(({ id, bytes }) => ({
            id,
            samples: new Float32Array(bytes.length / 3),
            probabilities: new Float32Array(0),
            windowSamples: 512,
            lateSamples: 0,
          })) as T;
        },
        async [Symbol.asyncDispose]() {},
      };
    };
    await using harness = await openHarness({
      services: { live: scriptedLive().live, vadStreams: openVadStreams(thread, 2) },
    });
    const [doomed, fine] = [await dial(harness), await dial(harness)];
    await doomed.until("created");
    await fine.until("created");
    doomed.append(silence(1));
    expect(await doomed.ended()).toMatchObject({
      close: 1011,
      code: "inference_unavailable",
      type: "api_error",
    });
    const line = harness.logged.find(({ level, event }) => level === "error" && event === "request_failed");
    expect(line).toMatchObject({ code: "inference_unavailable", cause: { message: expect.any(String) } });
    fine.update(MANUAL);
    fine.append(silence(1));
    fine.commit();
    await fine.until("completed");
    const next = await dial(harness);
    next.update(MANUAL);
    next.append(silence(1));
    next.commit();
    await next.until("completed");
    for (const client of [fine, next]) client.close();
  });
});

const SUBJECTS = ["The captain", "My mother"];
const DEEDS = [
  "walked to the river",
  "visited the hospital",
  "wrote seven letters",
  "opened the window",
  "lost an old map",
  "painted the kitchen",
  "sang for the children",
  "counted forty apples",
  "forgot the appointment",
  "repaired the engine",
];
const SENTENCES = SUBJECTS.flatMap((subject) => DEEDS.map((deed) => `${subject} ${deed}.`));

test.skipIf(!recognition)(
  `twenty sessions at once each get their own transcript${unlessRecognition}`,
  async () => {
    await using harness = await openHarness();
    const spoken = await Promise.all(
      SENTENCES.map(async (input) => {
        const body = JSON.stringify({ model: "svc-tts1", voice: "male-deep", input, response_format: "pcm" });
        return Buffer.from(
          await (await harness.ask("/v1/audio/speech", { method: "POST", body })).arrayBuffer(),
        );
      }),
    );
    const transcripts = await Promise.all(
      spoken.map(async (audio, index) => {
        const client = await dial(harness);
        for (let from = 0; from < audio.length; from += 4800 + index)
          client.append(audio.subarray(from, from + 4800 + index));
        client.append(silence(1));
        const { transcript, item_id } = await client.until("completed");
        client.close();
        expect(client.events.every((event) => event.item_id === undefined || event.item_id === item_id)).toBe(
          true,
        );
        return transcript as string;
      }),
    );
    const nearest = transcripts.map((text) => {
      const distances = SENTENCES.map((sentence) => plainWordErrors(sentence, text).errors);
      return distances.indexOf(Math.min(...distances));
    });
    const matched = nearest.filter((match, index) => match === index).length;
    expect(matched).toBeGreaterThanOrEqual(17); // a recogniser that mishears a word or two may come nearer to another
    for (const [index, text] of transcripts.entries()) {
      const others = DEEDS.filter((_, deed) => deed !== index % DEEDS.length);
      expect(others.filter((deed) => text.includes(deed))).toEqual([]);
    }
  },
);
