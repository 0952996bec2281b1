/** What each family was held against, and what is not verified yet: docs/models.md shows it. */
import type { Family } from "../../src/engine/families/families.ts";

/** What the engine equals: by another implementation or a rule, how nearly, and for how many at once. */
type Parity = { oracle: string; equal: string; tolerance: string; atOnce: string };

type Verification = {
  against: Parity[];
  /** Paths of the tests. */
  tests: string[];
  /** Beyond real weights, which were never opened unless `against` says so. */
  open: string;
};

const ORACLES = "test/oracles";
const FEATURES = "test/workers/features/features.test.ts";

const row = (
  oracle: string,
  equal: string,
  [tolerance, atOnce = "1"]: [tolerance: string, atOnce?: string],
): Parity => ({
  oracle,
  equal,
  tolerance,
  atOnce,
});

const SHERPA = "sherpa-onnx 1.13.8, same graphs";
const NEMO_FEATURES = row("NeMo", "features", ["1e-4"]);
const BY_HAND = "computed by hand";

export const VERIFIED: Record<Family, Verification> = {
  kokoro: {
    against: [
      row("kokoro-js 1.2.1, same graph", "samples of 20 texts at 20 speeds", ["1e-4", "1 and 8 callers"]),
      row(BY_HAND, "word times, at three speeds", ["exact"]),
      row("the published rules of misaki", "phonemes of English", ["exact"]),
    ],
    tests: [
      `${ORACLES}/kokoro.test.ts`,
      "test/workers/tts/words/spoken-words.test.ts",
      "test/workers/g2p/english.test.ts",
      "test/workers/g2p/phonemes.test.ts",
    ],
    open: "how it sounds; pronunciations of other languages than English against a reference",
  },
  vits: {
    against: [
      row(SHERPA, "number of phoneme ids of nine texts", ["exact", "1 and 8 callers"]),
      row(BY_HAND, "word times, at three speeds", ["1 ms"]),
    ],
    tests: [
      `${ORACLES}/piper.test.ts`,
      "test/workers/tts/piper/piper.test.ts",
      "test/workers/tts/words/spoken-words.test.ts",
    ],
    open: "samples, because the graphs add noise of their own; phonemes of other languages than German",
  },
  kitten: {
    against: [
      row("the published loop, written anew", "ids, styles, samples", ["1e-4", "1 and 8 callers"]),
      row(BY_HAND, "word times", ["exact"]),
      row("a published vector", "ids, but for the comma that is added", ["exact"]),
    ],
    tests: [`${ORACLES}/kitten.test.ts`],
    open: "how it sounds; sherpa-onnx, which puts no space before marks; the settings of mini and micro",
  },
  supertonic: {
    against: [
      row(SHERPA, "lengths, and samples without noise, in three languages", ["1e-4", "1 and 8 callers"]),
    ],
    tests: [`${ORACLES}/supertonic.test.ts`, "test/workers/tts/noise.test.ts"],
    open: "the effect of noise; how it sounds in its other languages",
  },
  pocket: {
    against: [
      row(`${SHERPA} of January 2026`, "lengths, and samples without noise, with a voice of 4 s", [
        "1e-4",
        "1 and 4 callers",
      ]),
      row("sentencepiece 0.2", "ids of 158 texts on two vocabularies", ["exact"]),
    ],
    tests: [
      `${ORACLES}/pocket.test.ts`,
      "test/workers/tts/pocket/pocket.test.ts",
      "test/workers/tts/pocket/text.test.ts",
    ],
    open: "how it sounds; the states of the bundles of April 2026, which their `bundle.json` lists; caches of preset voices as Kyutai publishes them",
  },
  nemo: {
    against: [
      row(SHERPA, "tokens and times (CTC, RNN-T, TDT)", ["exact", "1 and 8 recordings"]),
      NEMO_FEATURES,
    ],
    tests: [`${ORACLES}/nemo.test.ts`, FEATURES, "test/workers/asr/nemo/transducer.test.ts"],
    open: "word errors; TDT with more than five tokens on a frame, which sherpa-onnx does not allow",
  },
  "nemo-streaming": {
    against: [
      row(`${SHERPA} of 80, 160 and 1,120 ms`, "words and times", ["exact", "1 and 8 streams"]),
      NEMO_FEATURES,
    ],
    tests: [`${ORACLES}/nemo-streaming.test.ts`, FEATURES, "test/workers/asr/nemo/cached-encoder.test.ts"],
    open: "word errors; the first window, where sherpa-onnx and NeMo differ (Loquat follows NeMo)",
  },
  moonshine: {
    against: [
      row("moonshine-wasm 0.1.5, same graphs", "words and their times, but for the last 0.32 s", [
        "20 ms",
        "1 and 8 streams",
      ]),
      row("the published files", "size and CRC-32C of vocabulary and settings", ["exact"]),
    ],
    tests: [`${ORACLES}/moonshine.test.ts`, "test/workers/asr/moonshine/transcript.test.ts"],
    open: "word errors; hashes of some graphs; languages other than English; how often a live text is taken back before it is final",
  },
  canary: {
    against: [
      row(`${SHERPA} of the 180M export`, "texts and translations", ["exact", "1 and 8 spans"]),
      row("onnx-asr of July 2026, same graphs", "texts and translations, features included", [
        "exact",
        "1 and 8 spans",
      ]),
    ],
    tests: [`${ORACLES}/canary.test.ts`, "test/api/v1/named-language.test.ts"],
    open: "word errors; the quality of translations; positions of the 180M export",
  },
  whisper: {
    against: [
      row(
        "transformers.js 4.3.1, same graphs",
        "tokens; with times until it breaks a rule of openai/whisper",
        ["exact", "1 and 8 windows"],
      ),
      row("openai/whisper", "features", ["1e-4"]),
      row("openai/whisper", "tokens, alignment", ["exact"]),
    ],
    tests: [
      `${ORACLES}/whisper.test.ts`,
      FEATURES,
      "test/workers/asr/whisper/byte-pairs.test.ts",
      "test/workers/asr/alignment.test.ts",
    ],
    open: "word errors; half precision; translation",
  },
  silero: {
    against: [
      row("the real file", "its published probabilities, alone and among other streams", [
        "1e-3",
        "1 and more streams",
      ]),
      row("silero-vad 6.2.3, the real file", "probabilities of four recordings", ["1e-4", "4 streams"]),
    ],
    tests: [
      `${ORACLES}/listening/silero.test.ts`,
      "test/workers/vad/vad.test.ts",
      "test/workers/vad/speech-spans.test.ts",
    ],
    open: "nothing of the model; how well it suits a telephone line",
  },
  "smart-turn": {
    against: [
      row("pipecat-ai 1.14.0, the real file", "answers on 40 clips of people speaking", ["0.02"]),
      row("pipecat", "features before they are normalized", ["1e-4"]),
    ],
    tests: [
      `${ORACLES}/listening/smart-turn.test.ts`,
      "test/workers/turn/smart-turn.test.ts",
      FEATURES,
      "test/workers/features/standardize.test.ts",
    ],
    open: "nothing of the model, with ONNX Runtime as it is here; how well it suits other languages",
  },
  pyannote: {
    against: [
      row(SHERPA, "turns and speakers, with and without a known number of them", ["exact"]),
      row(BY_HAND, "complete linkage, turns, counts", ["exact"]),
    ],
    tests: [
      `${ORACLES}/diarization.test.ts`,
      "test/workers/diarization/clustering.test.ts",
      "test/workers/diarization/turns.test.ts",
      "test/workers/diarization/activity.test.ts",
    ],
    open: "error rates; what a step of 2.5 s in place of 1 s costs",
  },
  "speaker-embedding": {
    against: [row(SHERPA, "embeddings, both normalizations", ["1e-3"])],
    tests: [`${ORACLES}/diarization.test.ts`],
    open: "real voices; the distance that suits each model; the mean that WeSpeaker subtracts and its export does not declare",
  },
  misaki: {
    against: [row("the real dictionaries, by the published rules", "phonemes", ["exact"])],
    tests: ["test/workers/g2p/english.test.ts"],
    open: "words that depend on more context than the cheap rules read",
  },
  program: {
    against: [
      row("the files that npm installs", "what the tests of speech, phonemes and decoding run", ["exact"]),
    ],
    tests: ["test/models/pull/archive.test.ts", "test/workers/g2p/phonemes.test.ts"],
    open: "other platforms than Linux",
  },
};
