/** Promise: a live stream's work is in proportion to its sound, whatever is heard in it, and speech is read at each step. */
import { describe, expect, test } from "bun:test";
import { ASR_SAMPLE_RATE } from "../../../../src/audio/rates.ts";
import { type Model, Transcript } from "../../../../workers/asr/moonshine/transcript.ts";
import { openRandom } from "../../../../workers/random.ts";

const STEP_FRAMES = 24;
const FRAMES_PER_SECOND = 50;
const CHUNK_FRAMES = 4;
const SECONDS = 120;
const LONGEST_FRAMES = 16 * FRAMES_PER_SECOND; // 15 s, and what is fed at once
const TOKENS_PER_SECOND = 13; // of languages whose letters are tokens
const [BEGIN, END, VOCABULARY] = [0, 1, 40];
const random = openRandom(3);
const anyToken = () => 2 + Math.floor(random() * (VOCABULARY - 2));

/** The token at a place of the nth text, of a memory of so many rows; each begins a word. */
type Text = (at: { text: number; place: number; rows: number }) => number;

/** Graphs that write a text, and how often they did. */
function openModel(text: Text) {
  const count = { texts: 0, tokens: 0 };
  const config = {
    ...{ encoder_dim: 1, decoder_dim: 1, depth: 1, total_lookahead: 0 },
    ...{ bos_id: BEGIN, eos_id: END, tokensPerSecond: TOKENS_PER_SECOND },
  };
  const encoder = {
    begin: () => ({}),
    front: async () => ({ features: new Float32Array(CHUNK_FRAMES), state: {} }),
    encode: async (features: Float32Array) => features,
    adapt: async (encoded: Float32Array) => encoded,
  };
  const decoder = {
    config,
    async cross({ length }: Float32Array) {
      count.texts++;
      return { rows: length };
    },
    async step(tokens: number[], past: number | null, { cross: { rows } }: { cross: { rows: number } }) {
      const from = past ?? 0;
      if (past !== null) count.tokens += tokens.length;
      const logits = tokens.map((_, at) => {
        const scores = new Float32Array(VOCABULARY);
        scores[text({ text: count.texts, place: from + at, rows })] = 10;
        return scores;
      });
      return { logits, past: from + tokens.length, attention: () => [] };
    },
    cut: (_: number, tokens: number) => tokens,
  };
  const pieces = {
    ...{ count: VOCABULARY, texts: [], isGlued: () => false, beginsWord: () => true },
    decode: (tokens: number[]) => tokens.join("-"),
  };
  return { model: { encoder, decoder, config, pieces } as unknown as Model, count };
}

/** What two minutes take. `frames`: of the longest memory. */
async function worked(text: Text) {
  const { model, count } = openModel(text);
  const transcript = new Transcript(model, { biasing: null, stepFrames: STEP_FRAMES, aligned: false });
  const words = [];
  let frames = 0;
  for (let tenth = 0; tenth < 10 * SECONDS; tenth++) {
    await transcript.memory.push(new Float32Array(ASR_SAMPLE_RATE / 10));
    words.push(...(await transcript.advance(false)));
    frames = Math.max(frames, transcript.memory.frames);
  }
  words.push(...(await transcript.advance(true)));
  return { ...count, frames, words };
}

describe("what is another text each time", () => {
  const changing: Text = anyToken;

  test("is chosen in proportion to its sound", async () => {
    const { tokens, frames, words } = await worked(changing);
    expect(tokens).toBeLessThan(75 * SECONDS);
    expect(frames).toBeLessThan(LONGEST_FRAMES);
    expect(words.length).toBeGreaterThan(SECONDS);
  });

  test("except for its first words is forgotten all the same", async () => {
    const { tokens, frames } = await worked(({ place }) => (place < 2 ? 2 : anyToken()));
    expect(tokens).toBeLessThan(75 * SECONDS);
    expect(frames).toBeLessThan(LONGEST_FRAMES);
  });
});

test("a text that goes on where the sound does is read at each step", async () => {
  const last = 4; // of its tokens, these still change
  const speech: Text = ({ text, place, rows }) => {
    const all = Math.floor(rows / 12);
    return place >= all ? END : place >= all - last ? 2 + (text % 20) : 22 + (place % 7);
  };
  const { texts } = await worked(speech);
  expect(texts).toBeGreaterThanOrEqual(Math.floor((SECONDS * FRAMES_PER_SECOND) / STEP_FRAMES));
});
