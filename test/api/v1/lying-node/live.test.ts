/** Promise: a live turn whose engine node lies or stops fails at once, and costs what was delivered; its session goes on. */
import { describe, expect, test } from "bun:test";
import type { StreamingTask } from "../../../../src/engine/protocol/streaming-recognition.ts";
import type { Asked, Reply } from "../../../engine/remote/stand-in-node.ts";
import { takes, until } from "../../../until.ts";
import { dial, MANUAL } from "../realtime/live.ts";
import { passingTime } from "./passing-time.ts";
import { type Lie, withLyingNode, word } from "./with-lying-node.ts";

const server = withLyingNode();

const RATE = 24_000;
const SECOND_MICROS = 100;
const second = () =>
  new Uint8Array(Int16Array.from({ length: RATE }, (_, at) => 8000 * Math.sin(at / 20)).buffer);

const streamsOf = ({ task }: Asked): StreamingTask => task;
const resultsOf = (asked: Asked, words: object[] = []) => {
  const { feed, finish } = streamsOf(asked);
  const ids = new Set([...feed.map(({ id }) => id), ...finish]);
  return [...ids].map((id) => ({ id, words, language: null as unknown }));
};

/** What is sent last about streams that have failed. */
const isClosing = (asked: Asked) => resultsOf(asked).length === 0;

/** A session, one turn of which was sent. */
async function begun() {
  const client = await dial(server.harness(), { query: "intent=transcription&model=svc-stt1" });
  client.update(MANUAL);
  await client.until("session.updated");
  client.append(second());
  client.commit();
  return client;
}

const TRUE: Lie[1] = (asked, reply) => {
  const isEnd = streamsOf(asked).finish.length > 0;
  reply.result(resultsOf(asked, isEnd ? [word("hello")] : []));
};

test("a turn of a node that answers what was asked is transcribed and charged", async () => {
  server.node().answer = TRUE;
  const client = await begun();
  expect(await client.until("input_audio_transcription.completed")).toMatchObject({ transcript: "hello" });
  client.close();
  await until(async () => (await server.spent()) > 0);
});

describe("a turn of a node that answers", () => {
  const LIES: Lie[] = [
    ["no streams", (_asked, reply) => reply.result([])],
    ["no list", (_asked, reply) => reply.result("hello")],
    [
      "another stream",
      (asked, reply) => reply.result([...resultsOf(asked), { id: 1e6, words: [], language: null }]),
    ],
    ["a stream twice", (asked, reply) => reply.result([...resultsOf(asked), ...resultsOf(asked)])],
    [
      "words beyond its audio",
      (asked, reply) => reply.result(resultsOf(asked, [word("hello", { start: 60, end: 61 })])),
    ],
    [
      "more letters than its audio holds",
      (asked, reply) => reply.result(resultsOf(asked, [word("a".repeat(5000))])),
    ],
    ["a word that is no text", (asked, reply) => reply.result(resultsOf(asked, [word("", { text: {} })]))],
    ["times that are none", (asked, reply) => reply.result(resultsOf(asked, [word("hello", { end: "1" })]))],
    [
      "a language that is none",
      (asked, reply) => reply.result(resultsOf(asked).map((each) => ({ ...each, language: {} }))),
    ],
    ["hypotheses", (_asked, reply) => reply.hypothesis({ start: 0, end: 1, words: [] })],
  ];
  test.each(LIES)("%s fails at once, uncharged, and the next turn is transcribed", async (_claim, answer) => {
    server.node().answer = (asked, reply) => (isClosing(asked) ? TRUE : answer)(asked, reply);
    const client = await begun();
    expect(await client.until("failed")).toMatchObject({ error: { code: "transcription_failed" } });
    server.node().answer = TRUE;
    client.append(second());
    client.commit();
    expect(await client.until("input_audio_transcription.completed")).toMatchObject({ transcript: "hello" });
    client.close();
    await until(() => server.harness().parts.activity.openSessions() === 0);
    await until(async () => (await server.spent()) > 0);
    expect(await server.spent()).toBe(SECOND_MICROS); // of the second turn
  });

  test("nothing fails after the time that its audio may take", async () => {
    server.node().answer = () => {};
    const client = await begun();
    await until(() => server.node().asked.length > 0);
    await passingTime(client.until("failed"));
    client.close();
  }, 120_000);
});

test("words that come for ever are cut when they are more than their stream holds", async () => {
  const replies: { asked: Asked; reply: Reply }[] = [];
  server.node().answer = (asked, reply) => {
    replies.push({ asked, reply });
    if (streamsOf(asked).feed.length === 0) return TRUE(asked, reply);
    reply.result(
      resultsOf(
        asked,
        Array.from({ length: 300 }, () => word("again")),
      ),
    );
  };
  const client = await dial(server.harness(), { query: "intent=transcription&model=svc-stt1" });
  client.update(MANUAL);
  await client.until("session.updated");
  const parts = 40;
  for (let part = 0; part < parts; part++) {
    client.append(second().subarray(0, (2 * RATE) / 10));
    await takes(5);
  }
  client.commit();
  await client.until("failed");
  const deltas = client.events.filter(({ type }) => type.endsWith("transcription.delta"));
  const text = deltas.map(({ delta }) => delta).join("");
  expect(text.length).toBeLessThan(4000 + 4 * 60 + 2000);
  client.close();
});
