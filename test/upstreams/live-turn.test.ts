/** Promise: a server that listens to live speech is heard word by word; one that fails costs its caller no word and little time. */
import { describe, expect, test } from "bun:test";
import type { Refusal } from "../../src/errors.ts";
import { joined } from "../../src/transcription/transcript.ts";
import { until } from "../until.ts";
import type { Moment, Turn } from "./listening-server.ts";
import { confirming, listen, onceSent, QUICK, second, withListeners } from "./with-listeners.ts";

const { serve, upstreamOf } = withListeners();

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

describe("a server that goes on for ever after all audio ends no later than its time allows", () => {
  const LIARS: [string, (turn: Turn, count: number) => void][] = [
    ["with events that mean nothing", (turn) => turn.send("conversation.item.created", { item: {} })],
    ["with the confirmation of its settings", (turn) => turn.send("session.updated")],
    ["with empty words", (turn, count) => turn.delta(count % 2 === 0 ? "" : " ")],
    ["with new words", (turn, count) => turn.delta(`${count} `)],
  ];
  test.each(LIARS)("%s", async (_what, say) => {
    const server = serve(
      onceSent((turn) => {
        let count = 0;
        const timer = setInterval(() => say(turn, count++), 50);
        void turn.left.then(() => clearInterval(timer));
      }),
    );
    const timeouts = { ...QUICK, whole_ms: 1000 };
    const { turn, settled } = listen(await upstreamOf(server.url, { flags: { timeouts } }));
    turn.push(second().subarray(0, 3200));
    turn.finish();
    expect(((await settled) as Refusal).code).toBe("transcription_failed");
    await server.turns[0]!.left;
  });

  test("while a long answer is taken as it comes", async () => {
    const server = serve(
      onceSent((turn) => {
        const words = [..."abcdefghijkl"];
        const timer = setInterval(() => {
          const word = words.shift();
          if (word !== undefined) return turn.delta(`${word} `);
          clearInterval(timer);
          turn.completed("a b c d e f g h i j k l");
        }, 120);
      }),
    );
    const timeouts = { ...QUICK, between_bytes_ms: 1000 };
    const { turn, words, settled } = listen(await upstreamOf(server.url, { flags: { timeouts } }));
    turn.push(second());
    turn.finish();
    expect(await settled).toBe("completed");
    expect(words).toHaveLength(12);
  });
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
