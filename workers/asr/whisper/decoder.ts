/**
 * Whisper's decoding, token by token: greedy, or sampled at a temperature. Windows whose prompts have the same length
 * run as one batch, and those that have ended leave it.
 */
import { isCancelled } from "../../cancel.ts";
import { openBatcher, type SharedProcessor } from "../../onnx/batcher.ts";
import { argmax, probabilityOf, sampled } from "../../onnx/logits.ts";
import { openRandom } from "../../random.ts";
import type { DecoderRun, Scores, WhisperGraphs } from "./graphs.ts";
import { applyRules, type WhisperRules } from "./tokens.ts";

/**
 * A window to decode: its encoder output, of which the first `frames` are audio and the rest padding, and a prompt that
 * ends where the text begins; `startAt` is the index in it of the token that starts a transcript. `aligned`: with the
 * attention of its tokens. `draw`: which of several samples at a temperature; the same one is the same text every time.
 * `tokensMax`: where its text ends at the latest. `cancel`: a shared flag that ends the text where it is.
 */
type DecodeRequest = {
  hidden: Float32Array;
  prompt: number[];
  startAt: number;
  temperature: number;
  draw?: number;
  tokensMax?: number;
  frames: number;
  aligned: boolean;
  cancel?: Int32Array;
};

export type DecodeResult = {
  /** Without the end token. */
  tokens: number[];
  /** Of each token. */
  logProbabilities: number[];
  /** Over all tokens and the end token. */
  meanLogProbability: number;
  /** Probability that there is no speech. */
  noSpeech: number;
  /** For each token and the end token, the attention of each alignment head over the frames, if asked for and exported. */
  attention: Float32Array[][];
};

/**
 * `heads`: layer and head of those whose attention aligns tokens with time. `positionsMax`: places of the decoder, which
 * the prompt and the text share. `processor`: shared with the encoder.
 */
type DecoderRules = WhisperRules & {
  batchMax: number;
  heads: readonly [layer: number, head: number][];
  positionsMax: number;
  processor?: SharedProcessor;
};

/** Half the places of every published model. */
const TOKENS_MAX = 224;

/** A text being decoded. */
type Sequence = DecodeRequest &
  Omit<DecodeResult, "meanLogProbability"> & {
    endLogProbability: number;
    random: () => number;
    done: boolean;
  };

export function openDecoder(
  graphs: WhisperGraphs,
  rules: DecoderRules,
): (request: DecodeRequest, rank?: number) => Promise<DecodeResult> {
  const decoder = new BatchDecoder(graphs, rules);
  return openBatcher({
    batchMax: rules.batchMax,
    sizeOf: ({ prompt }: DecodeRequest) => prompt.length,
    run: (requests, rest) => decoder.run(requests, rest),
    isCancelled: ({ cancel }) => isCancelled(cancel),
    processor: rules.processor,
  });
}

class BatchDecoder {
  readonly #graphs: WhisperGraphs;
  readonly #rules: DecoderRules;
  readonly #alignmentLayers: number[];

  constructor(graphs: WhisperGraphs, rules: DecoderRules) {
    this.#graphs = graphs;
    this.#rules = rules;
    this.#alignmentLayers = [...new Set(rules.heads.map(([layer]) => layer))];
  }

  /** `rest` is called between the steps. */
  async run(requests: DecodeRequest[], rest: () => Promise<void>): Promise<DecodeResult[]> {
    const sequences = requests.map(
      (request): Sequence => ({
        ...request,
        tokens: [],
        logProbabilities: [],
        endLogProbability: 0,
        attention: [],
        noSpeech: 0,
        random: openRandom(request.draw ?? 0),
        done: false,
      }),
    );
    const kinds = Map.groupBy(sequences, ({ prompt, aligned }) => `${prompt.length} ${aligned}`);
    for (const alike of kinds.values()) await this.#decode(alike, rest);
    return sequences.map(({ tokens, logProbabilities, endLogProbability, attention, noSpeech }) => ({
      tokens,
      logProbabilities,
      attention,
      meanLogProbability:
        logProbabilities.reduce((sum, each) => sum + each, endLogProbability) / (tokens.length + 1),
      noSpeech,
    }));
  }

  /** Sequences whose prompts have the same length, all aligned or none. */
  async #decode(sequences: Sequence[], rest: () => Promise<void>): Promise<void> {
    const layers = sequences[0]!.aligned ? this.#alignmentLayers : [];
    const run = this.#graphs.open(
      sequences.map(({ hidden }) => hidden),
      layers,
    );
    const scores = await run.step(sequences.map(({ prompt }) => prompt));
    for (const [index, sequence] of sequences.entries()) {
      const start = scoresAt(scores, index, sequence.startAt);
      sequence.noSpeech = probabilityOf(start, this.#rules.special.noSpeech);
      this.#append(sequence, index, scores);
    }
    await this.#decodeRest(run, sequences, rest);
  }

  async #decodeRest(run: DecoderRun, sequences: Sequence[], rest: () => Promise<void>): Promise<void> {
    const { endOfText } = this.#rules.special;
    let active = sequences;
    while (active.some(({ done }) => !done)) {
      await rest();
      const left = active.filter(({ done }) => !done);
      if (left.length <= active.length / 2) {
        run.keep(left.map((sequence) => active.indexOf(sequence)));
        active = left;
      }
      const scores = await run.step(active.map(({ tokens }) => [tokens.at(-1) ?? endOfText]));
      for (const [index, sequence] of active.entries())
        if (!sequence.done) this.#append(sequence, index, scores);
    }
  }

  /** Chooses the next token of a sequence, by the last scores of its row. */
  #append(sequence: Sequence, index: number, { attention, ...scores }: Scores): void {
    const { heads, special, positionsMax } = this.#rules;
    if (attention)
      sequence.attention.push(
        heads.map(([layer, head]) => attention(index, layer, head).slice(0, sequence.frames)),
      );
    const last = scoresAt(scores, index, scores.positions - 1);
    applyRules(last, sequence.tokens, this.#rules); // in place: they are not read again
    const { temperature, random } = sequence;
    const token = temperature === 0 ? argmax(last) : sampled(last, temperature, random);
    const logProbability = Math.log(probabilityOf(last, token));
    if (token === special.endOfText) sequence.endLogProbability = logProbability;
    else {
      sequence.tokens.push(token);
      sequence.logProbabilities.push(logProbability);
    }
    const { prompt, tokens, tokensMax = TOKENS_MAX } = sequence;
    const isFull =
      tokens.length >= Math.min(TOKENS_MAX, tokensMax) || prompt.length + tokens.length > positionsMax;
    sequence.done = token === special.endOfText || isFull || isCancelled(sequence.cancel);
  }
}

/** The scores of the whole vocabulary after one position of a sequence. */
function scoresAt(
  { logits, positions, vocabulary }: Omit<Scores, "attention">,
  index: number,
  position: number,
): Float32Array {
  const row = index * positions + position;
  return logits.subarray(row * vocabulary, (row + 1) * vocabulary);
}
