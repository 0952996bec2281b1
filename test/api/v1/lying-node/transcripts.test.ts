/** Promise: a transcript of an engine node that cannot be one is refused at once, and costs nothing. */
import { describe, expect, test } from "bun:test";
import { errorOf } from "../../../harness.ts";
import { takes, until } from "../../../until.ts";
import { passingTime } from "./passing-time.ts";
import { hypothesis, type Lie, tone, withLyingNode, word } from "./with-lying-node.ts";

const server = withLyingNode();

describe("a transcription of a node that answers", () => {
  const LIES: Lie[] = [
    [
      "more hypotheses than it sends",
      (_asked, reply) => {
        reply.hypothesis(hypothesis());
        reply.result(5);
      },
    ],
    [
      "fewer hypotheses than it sends",
      (_asked, reply) => {
        reply.hypothesis(hypothesis());
        reply.result(0);
      },
    ],
    ["no count", (_asked, reply) => reply.result({ count: 1 })],
    [
      "more letters than two seconds hold",
      (_asked, reply) => reply.hypothesis(hypothesis({ words: [word("a".repeat(5000))] })),
    ],
    [
      "more words than two seconds hold",
      (_asked, reply) =>
        reply.hypothesis(hypothesis({ words: Array.from({ length: 3000 }, () => word("a")) })),
    ],
    [
      "more hypotheses than two seconds hold",
      (_asked, reply) => {
        for (let count = 0; count < 5000; count++) reply.hypothesis(hypothesis({ words: [] }));
      },
    ],
    [
      "more tokens than two seconds hold",
      (_asked, reply) =>
        reply.hypothesis(hypothesis({ words: [word("a", { tokens: Array(5000).fill(1) })] })),
    ],
    [
      "words that are no text",
      (_asked, reply) => reply.hypothesis(hypothesis({ words: [word("", { text: { a: 1 } })] })),
    ],
    ["words that are no list", (_asked, reply) => reply.hypothesis(hypothesis({ words: "hello" }))],
    ["times that are none", (_asked, reply) => reply.hypothesis(hypothesis({ start: null }))],
    [
      "times beyond the recording",
      (_asked, reply) => reply.hypothesis(hypothesis({ words: [word("hello", { end: 1e9 })] })),
    ],
    [
      "times that run backward",
      (_asked, reply) => {
        reply.hypothesis(
          hypothesis({
            end: 2,
            words: [word("hello", { start: 1.9, end: 2 }), word("you", { start: 0, end: 0.1 })],
          }),
        );
      },
    ],
    [
      "utterances that run backward",
      (_asked, reply) => {
        reply.hypothesis(hypothesis({ start: 1.9, end: 2, words: [] }));
        reply.hypothesis(hypothesis({ start: 0, end: 0.2, words: [] }));
      },
    ],
    [
      "a probability of two",
      (_asked, reply) => reply.hypothesis(hypothesis({ words: [word("hello", { confidence: 2 })] })),
    ],
    ["no hypothesis", (_asked, reply) => reply.hypothesis(null)],
    ["deep data", (_asked, reply) => reply.hypothesis(JSON.parse("[".repeat(5000) + "]".repeat(5000)))],
    ["samples", (_asked, reply) => reply.result(tone(1))],
  ];
  test.each(LIES)("%s fails at once, uncharged", async (_claim, answer) => {
    server.node().answer = answer;
    const response = await server.transcribe();
    expect(await errorOf(response)).toMatchObject({ status: 502, code: "transcription_failed" });
    expect(await server.spent()).toBe(0);
    await server.nothingPending();
  });

  test("nothing, or a word now and then, fails after the time that its seconds may take", async () => {
    server.node().answer = async (_asked, reply) => {
      for (let part = 0; part < 50; part++) {
        reply.hypothesis(hypothesis({ words: [] }));
        await takes(100);
      }
    };
    const response = server.transcribe();
    await until(() => server.node().asked.length > 0);
    const error = await errorOf(await passingTime(response));
    expect(error).toMatchObject({ status: 502, code: "transcription_failed" });
    expect(await server.spent()).toBe(0);
    await server.nothingPending();
  }, 120_000);
});
