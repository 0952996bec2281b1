/**
 * Whisper's text, token by token: greedily, or at a temperature. Windows that begin with as long a prompt are written
 * together, and those that are done leave the run.
 */

import { openBatcher } from "../../onnx/batcher.ts";
import { argmax, shareOf } from "../../onnx/logits.ts";
import type { Reading, Scores, WhisperGraphs } from "./graphs.ts";
import { applyRules, type WhisperRules } from "./tokens.ts";

/**
 * `prompt` ends where the text begins; at `startAt` in it is the token that starts a transcript. Of what was heard the
 * first `frames` count.
 */
type Ask = { hidden: Float32Array; prompt: number[]; startAt: number; temperature: number; frames: number };

/**
 * Tokens without the end; logs of probabilities over all of them, the end too; how likely it is that nobody speaks; and
 * where each watched head looked for each token and the end, where the export tells.
 */
export type DecodeResult = {
  tokens: number[];
  meanLogProbability: number;
  noSpeech: number;
  looked: Float32Array[][];
};

/** `heads`: layer and head of those that are watched. */
type Rules = WhisperRules & { together: number; heads: readonly [layer: number, head: number][] };

const TOKENS_MOST = 224;

type Line = Ask & Omit<DecodeResult, "meanLogProbability"> & { logProbability: number; done: boolean };

export function openDecoder(
  graphs: WhisperGraphs,
  { together: most, heads, ...all }: Rules,
): (ask: Ask, urgent?: boolean) => Promise<DecodeResult> {
  return openBatcher({ most, sizeOf: ({ prompt }: Ask) => prompt.length, run });

  async function run(asks: Ask[]): Promise<DecodeResult[]> {
    const lines = asks.map(
      (ask): Line => ({ ...ask, tokens: [], looked: [], logProbability: 0, noSpeech: 0, done: false }),
    );
    for (const alike of Map.groupBy(lines, ({ prompt }) => prompt.length).values()) await writeAll(alike);
    return lines.map(({ tokens, looked, logProbability, noSpeech }) => ({
      tokens,
      looked,
      meanLogProbability: logProbability / (tokens.length + 1),
      noSpeech,
    }));
  }

  async function writeAll(lines: Line[]): Promise<void> {
    const reading = graphs.open(lines.map(({ hidden }) => hidden));
    const { logits, rows, vocabulary, looked } = await reading.read(lines.map(({ prompt }) => prompt));
    const row = (at: number, place: number) =>
      logits.subarray((at * rows + place) * vocabulary, (at * rows + place + 1) * vocabulary);
    for (const [at, line] of lines.entries()) {
      line.noSpeech = shareOf(row(at, line.startAt), all.special.noSpeech);
      watch(line, at, looked);
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
      const { logits, vocabulary, looked } = await reading.read(
        active.map(({ tokens }) => [tokens.at(-1) ?? all.special.endOfText]),
      );
      for (const [at, line] of active.entries()) {
        if (line.done) continue;
        watch(line, at, looked);
        choose(line, logits.subarray(at * vocabulary, (at + 1) * vocabulary));
      }
    }
  }

  function watch(line: Line, at: number, looked: Scores["looked"]): void {
    if (looked) line.looked.push(heads.map(([layer, head]) => looked(at, layer, head).slice(0, line.frames)));
  }

  function choose(line: Line, scores: Float32Array): void {
    applyRules(scores, line.tokens, all); // in place: they are not asked again
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
