/**
 * The engine of the family `whisper`: windows of at most 30 s to segments and words, in any of its languages.
 *
 *   stretch ──features, encoder──> hidden ──which language?──> tokens, greedily ──> segments ──attention──> words
 *
 * Where the text repeats itself or was hardly believed it is sampled again, ever more freely; where nobody seems to
 * speak and the text was hardly believed, nothing was said. Source: openai/whisper.
 */
import { readFileSync } from "node:fs";
import { workerData } from "piscina";
import { ASR_SAMPLE_RATE } from "../../../src/audio/rates.ts";
import type { EngineData } from "../../../src/engine/protocol/engine-data.ts";
import type { RecognitionTask, Word } from "../../../src/engine/protocol/recognition.ts";
import { repetition } from "../../../src/transcription/compression-ratio.ts";
import { openWhisperFeatures } from "../../features/whisper.ts";
import { openBatcher } from "../../onnx/batcher.ts";
import { warmUp } from "../../onnx/warmup.ts";
import { openSpanFinder } from "../../vad/segmentation.ts";
import { recognizeSegments } from "../segmented-recognition.ts";
import { BytePairs, readVocabulary } from "./byte-pairs.ts";
import { type DecodeResult, openDecoder } from "./decoder.ts";
import { openWhisperGraphs, POSITIONS } from "./graphs.ts";
import { windowSegments } from "./segments.ts";
import { specialTokens } from "./tokens.ts";
import { rowTimes, splitWords } from "./words.ts";

const WINDOW_SECONDS = 30;
const TOGETHER_MOST = 8;
const TEMPERATURES = [0, 0.2, 0.4, 0.6, 0.8, 1];
const REPETITIVE = 2.4;
const DOUBTFUL = -1;
const SILENT = 0.6;
const PROMPT_MOST = 223;
const POSITIONS_PER_SECOND = 50;
const STEP_LEAST_SECONDS = 1; // or one that says it heard nothing would be asked a thousand times

const { files, silero, placement } = workerData as EngineData;
const read = (role: string) => JSON.parse(readFileSync(files[role]!, "utf8"));
const config = read("config");
const generation = read("generation");
const pieces = readVocabulary(read("tokenizer").model.vocab);
const languages: Record<string, number> = generation.lang_to_id ?? {};
const multilingual = Object.keys(languages).length > 0;
const special = specialTokens(
  generation.eos_token_id ?? config.eos_token_id,
  multilingual ? Object.keys(languages).length : 99,
);
const letters = new BytePairs(pieces.slice(0, special.endOfText));
const features = openWhisperFeatures(config.num_mel_bins, WINDOW_SECONDS);
const heads: [number, number][] = generation.alignment_heads ?? [];
const graphs = await openWhisperGraphs(
  { encoder: files.encoder!, decoder: files.decoder! },
  {
    mels: config.num_mel_bins,
    width: config.d_model,
    layers: config.decoder_layers,
    heads: config.decoder_attention_heads,
    layersWatched: [...new Set(heads.map(([layer]) => layer))],
  },
  placement,
);
const findSpans = await openSpanFinder(silero, WINDOW_SECONDS);
const encode = openBatcher({
  most: TOGETHER_MOST,
  sizeOf: () => 1,
  run: (all: Float32Array[]) => graphs.encode(all),
});
const write = openDecoder(graphs, {
  special,
  suppressed: generation.suppress_tokens ?? [],
  blank: (generation.begin_suppress_tokens ?? [220]).filter((token: number) => token !== special.endOfText),
  firstMax: generation.max_initial_timestamp_index ?? 50, // a second
  timestamps: true,
  heads,
  together: TOGETHER_MOST,
});

await warmUp(placement, [1], () => graphs.encode([features(new Float32Array(0)).rows]));

type Heard = { words: Word[]; language: string; noSpeech: number };

export default function recognize(task: RecognitionTask): Promise<number> {
  const isKnown =
    task.language !== null && (!multilingual || languages[`<|${task.language}|>`] !== undefined);
  let spoken: Promise<string> | null = isKnown ? Promise.resolve(task.language!) : null;
  return recognizeSegments(task, {
    findSpans,
    longestSeconds: WINDOW_SECONDS,
    async hear(samples, offset) {
      const hidden = await encode(features(samples).rows, task.urgent);
      spoken ??= multilingual ? detect(hidden) : Promise.resolve("en"); // the first stretch tells for all
      return hearStretch({ samples, hidden, offset, language: await spoken, task });
    },
  });
}

type Stretch = {
  samples: Float32Array;
  hidden: Float32Array;
  offset: number;
  language: string;
  task: RecognitionTask;
};

/** A window that ended in the middle is gone on with from there. */
async function hearStretch({ samples, hidden, offset, language, task }: Stretch): Promise<Heard> {
  const words: Word[] = [];
  let noSpeech = 0;
  let rest = samples;
  let looked = hidden;
  for (let from = offset; ; ) {
    const seconds = rest.length / ASR_SAMPLE_RATE;
    const written = await writeSurely(looked, { language, task, seconds });
    if (written === null) break;
    noSpeech = Math.max(noSpeech, written.noSpeech);
    const { segments, goesOn } = windowSegments(written.tokens, { ...special, seconds });
    const tokens = segments.flatMap((segment) => segment.tokens);
    words.push(...timed(tokens, { written, language, from, seconds }));
    const step = Math.max(goesOn ?? seconds, STEP_LEAST_SECONDS);
    if (step >= seconds || Atomics.load(task.cancel, 0) !== 0) break;
    from += step;
    rest = rest.subarray(Math.round(step * ASR_SAMPLE_RATE));
    looked = await encode(features(rest).rows, task.urgent);
  }
  return { words, language, noSpeech };
}

/** Null: nothing was said. */
async function writeSurely(
  hidden: Float32Array,
  { language, task, seconds }: { language: string; task: RecognitionTask; seconds: number },
): Promise<DecodeResult | null> {
  const before =
    task.prompt === ""
      ? []
      : [special.startOfPrevious, ...letters.encode(` ${task.prompt.trim()}`).slice(-PROMPT_MOST)];
  const start = [
    special.startOfTranscript,
    ...(multilingual ? [languages[`<|${language}|>`]!, special.transcribe] : []),
  ];
  const frames = Math.min(POSITIONS, Math.max(1, Math.floor(seconds * POSITIONS_PER_SECOND)));
  let written: DecodeResult | null = null;
  for (const temperature of TEMPERATURES) {
    written = await write(
      {
        hidden,
        prompt: [...before, ...start],
        startAt: before.length,
        temperature,
        frames,
      },
      task.urgent,
    );
    const doubtful = written.meanLogProbability < DOUBTFUL;
    if (written.noSpeech > SILENT && doubtful) return null;
    if (!doubtful && repetition(letters.decode(written.tokens)) <= REPETITIVE) break;
  }
  return written;
}

async function detect(hidden: Float32Array): Promise<string> {
  const { logits } = await graphs.open([hidden]).read([[special.startOfTranscript]]);
  const [likeliest] = Object.entries(languages).reduce((best, each) =>
    logits[each[1]]! > logits[best[1]]! ? each : best,
  );
  return likeliest.slice(2, -2);
}

type Timing = { written: DecodeResult; language: string; from: number; seconds: number };

function timed(tokens: number[], { written, language, from, seconds }: Timing): Word[] {
  if (tokens.length === 0) return [];
  const words = splitWords(tokens, language, (some) => letters.decode(some));
  const times = timesOf(tokens.length, written, seconds);
  const confidence = Math.exp(written.meanLogProbability);
  let at = 0;
  return words.flatMap(({ text, tokens: own }) => {
    const [start, end] = [times[at]!, times[at + own.length]!];
    at += own.length;
    if (text.trim() === "") return [];
    const glued = text.startsWith(" ") ? {} : { glued: true };
    return [
      { text: text.trim(), start: from + start, end: from + Math.max(start, end), confidence, ...glued },
    ];
  });
}

/** When each of so many tokens of text begins, and the last ends. Where nobody saw where it looked they share the time. */
function timesOf(count: number, { tokens, looked }: DecodeResult, seconds: number): number[] {
  const text = tokens.flatMap((token, at) => (token < special.endOfText ? [at] : [])).slice(0, count);
  const rows = [...text, (text.at(-1) ?? 0) + 1].flatMap((at) => (looked[at] ? [looked[at]] : []));
  if (rows.length < count || heads.length === 0)
    return Array.from({ length: count + 1 }, (_, at) => (seconds * at) / count);
  const frames = rows[0]![0]!.length;
  const chosen = heads.map((_, head) => {
    const ofHead = new Float32Array(rows.length * frames);
    for (const [row, all] of rows.entries()) ofHead.set(all[head]!, row * frames);
    return ofHead;
  });
  return rowTimes({ tokens: rows.length, frames, heads: chosen });
}
