/**
 * The engine of the family `sphinx`: PocketSphinx, English, one decoder per thread.
 *
 *   samples ──utterances──> decoder ──> a hypothesis each ──> port
 *
 * The cepstral mean is that of a whole utterance: decoding pieces of sound carries it over from the utterance before, which
 * mixes callers and makes a quarter more errors. The cancel flag is read before each second of an utterance, and work in the background pauses there. The last pass over
 * what was searched until then cannot be stopped: of twelve seconds, the longest, it takes 0.3 s where they are speech, and
 * 2.5 s at worst.
 *
 * The decoder opens with the first utterance and is freed when the thread was idle for `idleMs`. No state is kept between
 * utterances, so the next one has the same words as without that pause.
 */
import { workerData } from "piscina";
import { findUtterances } from "../../../src/audio/energy-vad.ts";
import { toInt16 } from "../../../src/audio/pcm.ts";
import { ASR_SAMPLE_RATE } from "../../../src/audio/rates.ts";
import type {
  Hypothesis,
  RecognitionTask,
  Speech,
  SpeechTask,
  Word,
} from "../../../src/engine/protocol/recognition.ts";
import { unknownKind } from "../../../src/engine/protocol/task.ts";
import { moving } from "../../moving.ts";
import { withMutex } from "../../mutex.ts";
import { pause } from "../../pause.ts";
import { type Decoder, openDecoder } from "./decoder.ts";

/** Without `idleMs` the decoder is never freed. */
type SphinxData = { mutex: Int32Array<SharedArrayBuffer>; idleMs?: number | null };

const PEAK = 0.5; // quiet recordings are amplified to it: the acoustic model was trained on full-range speech

const { mutex, idleMs = null } = workerData as SphinxData;
let decoder: Decoder | null = null;
let idleTimer: Timer | null = null;

export default function run(task: RecognitionTask | SpeechTask): number | Speech {
  switch (task.kind) {
    case "recognition":
      return recognize(task);
    case "speech-search":
      return findSpeech(task);
    default:
      return unknownKind(task);
  }
}

const findSpeech = ({ recording }: SpeechTask): Speech =>
  moving(
    { recording, spans: findUtterances(recording, ASR_SAMPLE_RATE), peak: peakOf(recording) },
    recording.buffer,
  );

/** Returns how many hypotheses it posted. */
function recognize(task: RecognitionTask): number {
  const { samples, spans, peak = peakOf(samples), cancel, port } = task;
  let posted = 0;
  const isCancelled = () => {
    if (task.precedence === "background") pause();
    return Atomics.load(cancel, 0) !== 0;
  };
  const pcm = toInt16(amplified(samples, peak));
  for (const span of spans ?? findUtterances(samples, ASR_SAMPLE_RATE)) {
    const [start, end] = [span.start / ASR_SAMPLE_RATE, span.end / ASR_SAMPLE_RATE];
    const words = opened().decode(pcm.slice(span.start, span.end), isCancelled);
    if (words === null) break;
    port.postMessage({ start, end, words: words.map((word) => moved(word, start)) } satisfies Hypothesis);
    posted++;
  }
  freeLater();
  return posted;
}

function opened(): Decoder {
  decoder ??= withMutex(mutex, openDecoder);
  return decoder;
}

function freeLater(): void {
  if (idleTimer) clearTimeout(idleTimer);
  if (idleMs !== null) idleTimer = setTimeout(free, idleMs);
}

function free(): void {
  const opened = decoder;
  decoder = null;
  if (opened) withMutex(mutex, opened.free);
}

const moved = (word: Word, seconds: number): Word => ({
  ...word,
  start: word.start + seconds,
  end: word.end + seconds,
});

function peakOf(samples: Float32Array): number {
  let peak = 0;
  for (const sample of samples) peak = Math.max(peak, Math.abs(sample) || 0);
  return peak;
}

const amplified = (samples: Float32Array, peak: number): Float32Array =>
  peak === 0 || peak >= PEAK ? samples : samples.map((sample) => (sample * PEAK) / peak);
