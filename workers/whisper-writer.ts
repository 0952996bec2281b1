/**
 * Whisper's text, token by token: greedily, or at a temperature. Windows that begin with as long a prompt are written
 * together, and those that are done leave the run.
 */
import { argmax, shareOf } from "../src/decoding/transducer.ts";
import { applyRules, type WhisperRules } from "../src/decoding/whisper-tokens.ts";
import { together } from "./together.ts";
import type { Reading, WhisperGraphs } from "./whisper-graphs.ts";

/** `prompt` ends where the text begins; at `startAt` in it is the token that starts a transcript. */
type Ask = { hidden: Float32Array; prompt: number[]; startAt: number; temperature: number };

/** Tokens without the end; logs of probabilities over all of them, the end too; how likely it is that nobody speaks. */
export type Written = { tokens: number[]; meanLogProbability: number; noSpeech: number };

type Rules = WhisperRules & { together: number };

const TOKENS_MOST = 224;

type Line = Ask & { tokens: number[]; logProbability: number; noSpeech: number; done: boolean };

export function openWriter(
  graphs: WhisperGraphs,
  { together: most, ...all }: Rules,
): (ask: Ask) => Promise<Written> {
  return together({ most, sizeOf: ({ prompt }: Ask) => prompt.length, run });

  async function run(asks: Ask[]): Promise<Written[]> {
    const lines = asks.map(
      (ask): Line => ({ ...ask, tokens: [], logProbability: 0, noSpeech: 0, done: false }),
    );
    for (const alike of Map.groupBy(lines, ({ prompt }) => prompt.length).values()) await writeAll(alike);
    return lines.map(({ tokens, logProbability, noSpeech }) => ({
      tokens,
      meanLogProbability: logProbability / (tokens.length + 1),
      noSpeech,
    }));
  }

  async function writeAll(lines: Line[]): Promise<void> {
    const reading = graphs.open(lines.map(({ hidden }) => hidden));
    const { logits, rows, vocabulary } = await reading.read(lines.map(({ prompt }) => prompt));
    const row = (at: number, place: number) =>
      logits.subarray((at * rows + place) * vocabulary, (at * rows + place + 1) * vocabulary);
    for (const [at, line] of lines.entries()) {
      line.noSpeech = shareOf(row(at, line.startAt), all.special.noSpeech);
      choose(line, row(at, rows - 1));
    }
    await goOn(reading, lines);
  }

  async function goOn(reading: Reading, lines: Line[]): Promise<void> {
    let active = lines;
    while (active.some(({ done }) => !done)) {
      const left = active.filter(({ done }) => !done);
      if (left.length <= active.length / 2) {
        reading.keep(left.map((line) => active.indexOf(line)));
        active = left;
      }
      const { logits, vocabulary } = await reading.read(
        active.map(({ tokens }) => [tokens.at(-1) ?? all.special.endOfText]),
      );
      for (const [at, line] of active.entries())
        if (!line.done) choose(line, logits.subarray(at * vocabulary, (at + 1) * vocabulary));
    }
  }

  function choose(line: Line, logits: Float32Array): void {
    const scores = logits.slice();
    applyRules(scores, line.tokens, all);
    const token = line.temperature === 0 ? argmax(scores) : sampled(scores, line.temperature);
    line.logProbability += Math.log(shareOf(scores, token));
    line.done = token === all.special.endOfText || line.tokens.length + 1 >= TOKENS_MOST;
    if (token !== all.special.endOfText) line.tokens.push(token);
  }
}

function sampled(scores: Float32Array, temperature: number): number {
  const top = scores[argmax(scores)]!;
  const weights = scores.map((score) => Math.exp((score - top) / temperature));
  let left = Math.random() * weights.reduce((sum, weight) => sum + weight, 0);
  for (const [at, weight] of weights.entries()) {
    left -= weight;
    if (left <= 0 && weight > 0) return at;
  }
  return argmax(scores);
}
