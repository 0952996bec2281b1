/** Promise: a server that listens to live speech is heard word by word; one that fails costs its caller no word and little time. */
import { afterEach, describe, expect, test } from "bun:test";
import { createHash } from "node:crypto";
import { readConfig } from "../../../src/config.ts";
import type { Word } from "../../../src/engine/protocol/recognition.ts";
import type { LiveTurn, TurnOptions } from "../../../src/engine/upstream/live/live-turn.ts";
import { LiveWords } from "../../../src/engine/upstream/live/live-words.ts";
import { openUpstream, type Upstream } from "../../../src/engine/upstream/upstream.ts";
import type { Refusal } from "../../../src/errors.ts";
import { presetWith, readPresets } from "../../../src/models/upstream/definition.ts";
import { joined } from "../../../src/transcription/transcript.ts";
import { until } from "../../until.ts";
import { type Moment, openListeningServer, type Turn } from "./listening-server.ts";

const presets = readPresets(readConfig({}).models.folder);
const open: Disposable[] = [];
const upstreams: Upstream[] = [];
afterEach(async () => {
  for (const upstream of upstreams.splice(0)) await upstream[Symbol.asyncDispose]();
  for (const each of open.splice(0)) each[Symbol.dispose]();
});

function serve(handle: (turn: Turn, moment: Moment) => void) {
  const server = openListeningServer(handle);
  open.push(server);
  return server;
}

const QUICK = { first_byte_ms: 1000, between_bytes_ms: 500, whole_ms: 5000 };

async function upstreamOf(url: string, { preset = "loquat", flags = {} } = {}) {
  const upstream = openUpstream({
    preset: presetWith(presets, preset, { health: null, timeouts: QUICK, ...flags }),
    urls: [url],
    credential: () => "secret",
  });
  upstreams.push(upstream);
  await upstream.ready;
  return upstream;
}

function listen(upstream: Upstream, asked: Partial<TurnOptions> = {}) {
  const words: Word[] = [];
  const { promise: settled, resolve } = Promise.withResolvers<"completed" | Refusal>();
  const turn: LiveTurn = upstream.listen("theirs", {
    ...{ language: null, prompt: "", progressed() {}, settled: resolve, ...asked },
    words: (more) => words.push(...more),
  });
  return { turn, words, settled };
}

const second = () => Float32Array.from({ length: 16_000 }, (_, at) => 0.3 * Math.sin(at / 9));
const confirming = (turn: Turn, moment: Moment) => {
  if (moment === "updated") turn.send("session.updated");
};

test("words arrive while the turn goes on, and the rest at its end", async () => {
  const server = serve((turn, moment) => {
    confirming(turn, moment);
    if (moment === "audio" && turn.samples === 16_000) turn.delta("the old");
    if (moment === "committed") turn.completed("the old house");
  });
  const { turn, words, settled } = listen(await upstreamOf(server.url), {
    ...{ language: "en", prompt: "Before.", keywords: ["house"] },
  });
  turn.push(second());
  await until(() => words.length === 2);
  turn.push(second());
  turn.finish();
  expect(await settled).toBe("completed");
  expect(joined(words)).toBe("the old house");
  expect(words.map(({ end }) => end)).toEqual([0.5, 1, 2]);
  expect(server.turns[0]!.samples).toBe(32_000);
  expect(server.turns[0]!.session).toMatchObject({
    type: "transcription",
    audio: {
      input: {
        format: { type: "audio/pcm", rate: 16_000 },
        transcription: { model: "theirs", language: "en", prompt: "Before.", keywords: ["house"] },
        turn_detection: null,
      },
    },
  });
  await server.turns[0]!.left;
});

test("audio at another rate is as long, and a turn that is too short is filled up", async () => {
  const server = serve((turn, moment) => {
    confirming(turn, moment);
    if (moment === "committed") turn.completed("");
  });
  const upstream = await upstreamOf(server.url, { preset: "openai" });
  const long = listen(upstream);
  for (let count = 0; count < 3; count++) long.turn.push(second());
  long.turn.finish();
  const short = listen(upstream);
  short.turn.push(new Float32Array(160));
  short.turn.finish();
  expect([await long.settled, await short.settled]).toEqual(["completed", "completed"]);
  expect(server.turns.map(({ samples }) => samples)).toEqual([72_000, 2880]);
});

const LONG = "word ".repeat(2000);
const onceSent = (say: (turn: Turn) => void) => (turn: Turn, moment: Moment) => {
  confirming(turn, moment);
  if (moment === "committed") say(turn);
};

describe("a turn fails at once", () => {
  const FAULTS: [string, (turn: Turn, moment: Moment) => void, string][] = [
    [
      "that is refused for its key",
      (turn, moment) => {
        if (moment === "opened") {
          turn.send("error", { error: { code: "invalid_api_key", message: "secret internals" } });
          turn.close();
        }
      },
      "transcription_failed",
    ],
    [
      "whose server is busy",
      (turn, moment) => {
        if (moment === "opened")
          turn.send("error", { error: { code: "service_unavailable", retry_after: 7 } });
      },
      "service_unavailable",
    ],
    [
      "whose keywords the engine cannot prefer",
      (turn, moment) => {
        if (moment === "updated")
          turn.send("error", { error: { code: "unsupported_parameter", param: "keywords" } });
      },
      "unsupported_parameter",
    ],
    [
      "whose connection is closed",
      (turn, moment) => {
        confirming(turn, moment);
        if (moment === "audio") turn.close();
      },
      "transcription_failed",
    ],
    [
      "whose connection is lost",
      (turn, moment) => {
        confirming(turn, moment);
        if (moment === "audio") turn.terminate();
      },
      "transcription_failed",
    ],
    [
      "that the server fails",
      onceSent((turn) => turn.send("conversation.item.input_audio_transcription.failed", { error: {} })),
      "transcription_failed",
    ],
    [
      "that gets no events",
      (turn, moment) => {
        if (moment === "opened") turn.raw("<html>");
      },
      "transcription_failed",
    ],
    [
      "that ends without a text",
      onceSent((turn) => turn.send("conversation.item.input_audio_transcription.completed")),
      "transcription_failed",
    ],
    ["that nothing ends", confirming, "transcription_failed"],
    ["whose delta is longer than its audio", onceSent((turn) => turn.delta(LONG)), "transcription_failed"],
    ["whose text is longer than its audio", onceSent((turn) => turn.completed(LONG)), "transcription_failed"],
  ];
  test.each(FAULTS)("%s", async (_what, handle, code) => {
    const server = serve(handle);
    const { turn, words, settled } = listen(await upstreamOf(server.url));
    turn.push(second());
    turn.finish();
    const outcome = (await settled) as Refusal;
    expect(outcome.code as string).toBe(code);
    expect(outcome.message).not.toContain("secret");
    expect(words).toEqual([]);
    await server.turns[0]!.left;
    turn.push(second()); // of no effect any more
    expect(turn.behindSeconds()).toBe(0);
  });

  test("where no server can be reached, and after five times it is not tried", async () => {
    const server = serve(() => {});
    server[Symbol.dispose]();
    const upstream = await upstreamOf(server.url);
    for (let count = 0; count < 6; count++) {
      const { turn, settled } = listen(upstream);
      turn.push(second());
      expect(((await settled) as Refusal).code).toBe(
        count < 5 ? "transcription_failed" : "service_unavailable",
      );
    }
  });

  test("that has no place", async () => {
    const server = serve(confirming);
    const upstream = await upstreamOf(server.url, { flags: { realtime: { turns_max: 1 } } });
    const first = listen(upstream);
    first.turn.push(second());
    await until(() => server.turns.length === 1);
    expect(upstream.servers()).toMatchObject([{ inFlight: 1 }]);
    expect(((await listen(upstream).settled) as Refusal).code).toBe("service_unavailable");
    first.turn.drop();
    await server.turns[0]!.left;
    listen(upstream);
    await until(() => server.turns.length === 2);
  });
});

test("a turn fails whose server takes no more audio", async () => {
  const server = Bun.listen({
    ...{ hostname: "127.0.0.1", port: 0 },
    socket: {
      data(socket, bytes) {
        const key = /sec-websocket-key: (\S+)/i.exec(bytes.toString("latin1"))?.[1];
        if (key === undefined) return;
        const accept = createHash("sha1")
          .update(`${key}258EAFA5-E914-47DA-95CA-C5AB0DC85B11`)
          .digest("base64");
        const upgrade = "HTTP/1.1 101 X\r\nupgrade: websocket\r\nconnection: upgrade";
        const event = '{"type":"session.updated"}';
        const frame = String.fromCharCode(0x81, event.length) + event;
        socket.write(Buffer.from(`${upgrade}\r\nsec-websocket-accept: ${accept}\r\n\r\n${frame}`, "latin1"));
        socket.pause();
      },
    },
  });
  const { turn, settled } = listen(await upstreamOf(`http://127.0.0.1:${server.port}`));
  const begunMs = performance.now();
  for (let count = 0; count < 300; count++) turn.push(second());
  expect(turn.behindSeconds()).toBeGreaterThan(1);
  expect(((await settled) as Refusal).code).toBe("transcription_failed");
  expect(performance.now() - begunMs).toBeLessThan(4000); // before a session would be late
  server.stop(true);
});

test("a turn that the server ends before its caller has failed", async () => {
  const server = serve((turn, moment) => {
    confirming(turn, moment);
    if (moment === "audio") turn.completed("the old house");
  });
  const { turn, settled, words } = listen(await upstreamOf(server.url));
  turn.push(second());
  expect(((await settled) as Refusal).code).toBe("transcription_failed");
  expect(words).toEqual([]);
});

test("a caller that leaves closes the connection, and hears of nothing", async () => {
  const server = serve((turn, moment) => {
    confirming(turn, moment);
    if (moment === "audio") turn.delta("the old");
  });
  let outcomes = 0;
  const { turn, words } = listen(await upstreamOf(server.url), { settled: () => outcomes++ });
  turn.push(second());
  await until(() => words.length > 0);
  turn.drop();
  await server.turns[0]!.left;
  expect(outcomes).toBe(0);
});

describe("deltas become words", () => {
  const at = { untilSeconds: 1, confidence: 1 };
  const read = (wholeWords: boolean, deltas: string[], transcript: string) => {
    const words = new LiveWords(wholeWords);
    const early = deltas.map((delta) => words.add(delta, at));
    return { early: early.map(joined), all: joined([...early.flat(), ...words.finish(transcript, at)]) };
  };

  test("once another word follows", () => {
    const { early, all } = read(false, ["the ol", "d hou", "se"], "the old house.");
    expect(early).toEqual(["the", "old", ""]);
    expect(all).toBe("the old house.");
  });

  test("at once where they are whole", () => {
    expect(read(true, ["the old", " house"], "the old house").early).toEqual(["the old", "house"]);
  });

  test("without spaces in languages that have none", () => {
    expect(read(true, ["今天", "天气很好"], "今天天气很好").all).toBe("今天天气很好");
    expect(read(false, ["今", "天", "天气"], "今天天气很好").all).toBe("今天天气很好");
  });

  test("that stay, where the transcript says something else", () => {
    expect(read(true, ["the old", " house"], "The cold house by the river").all).toBe(
      "the old house by the river",
    );
    expect(read(true, ["the old", " house"], "nothing").all).toBe("the old house");
  });
});
