/** What each family was held against, and what is not verified yet: docs/models.md shows it. */
import type { Family } from "../../src/engine/families/families.ts";

type Verification = {
  /** What the engine equals, how nearly, and with how many callers at once. */
  against: string[];
  /** Paths of the tests. */
  tests: string[];
  /** Beyond real weights, which were never opened unless `against` says so. */
  open: string;
};

const ORACLES = "test/oracles";
const FEATURES = "test/workers/features/features.test.ts";

const NEMO_FEATURES = "NeMo's own features within 1e-4";

export const VERIFIED: Record<Family, Verification> = {
  kokoro: {
    against: [
      "kokoro-js 1.2.1 on the same graph: samples within 1e-4 for 20 texts at 20 speeds, 1 and 8 callers",
      "the published dictionaries and rules of misaki: phonemes of English",
    ],
    tests: [
      `${ORACLES}/kokoro.test.ts`,
      "test/workers/g2p/english.test.ts",
      "test/workers/g2p/phonemes.test.ts",
    ],
    open: "how it sounds; pronunciations of other languages than English against a reference",
  },
  vits: {
    against: ["sherpa-onnx 1.13.8 on the same graph: as many phoneme ids for nine texts, 1 and 8 callers"],
    tests: [`${ORACLES}/piper.test.ts`, "test/workers/tts/piper/piper.test.ts"],
    open: "samples, because the graphs add noise of their own; phonemes of other languages than German",
  },
  supertonic: {
    against: [
      "sherpa-onnx 1.13.8 on the same graphs without noise: lengths equal, samples within 1e-4 in three languages, 1 and 8 callers",
    ],
    tests: [`${ORACLES}/supertonic.test.ts`, "test/workers/tts/supertonic/noise.test.ts"],
    open: "the effect of noise; how it sounds in its other languages",
  },
  nemo: {
    against: [
      "sherpa-onnx 1.13.8 on the same graphs (CTC, RNN-T, TDT): tokens and times equal, 1 and 8 recordings at once",
      NEMO_FEATURES,
    ],
    tests: [`${ORACLES}/nemo.test.ts`, FEATURES, "test/workers/asr/nemo/transducer.test.ts"],
    open: "word errors; TDT with more than five tokens on a frame, which sherpa-onnx does not allow",
  },
  "nemo-streaming": {
    against: [
      "sherpa-onnx 1.13.8 on the same graphs: words and times equal, 1 and 8 streams of other chunk sizes",
      NEMO_FEATURES,
    ],
    tests: [`${ORACLES}/nemo-streaming.test.ts`, FEATURES, "test/workers/asr/nemo/cached-encoder.test.ts"],
    open: "word errors; the first window, where sherpa-onnx and NeMo differ (Loquat follows NeMo)",
  },
  whisper: {
    against: [
      "transformers.js 4.3.1 on the same graphs: tokens equal, 1 and 8 windows at once; with timestamps until it breaks a rule of openai/whisper",
      "openai/whisper's features within 1e-4, tokens, alignment",
    ],
    tests: [
      `${ORACLES}/whisper.test.ts`,
      FEATURES,
      "test/workers/asr/whisper/byte-pairs.test.ts",
      "test/workers/asr/whisper/alignment.test.ts",
    ],
    open: "word errors; half precision; translation",
  },
  silero: {
    against: ["the real file: its published probabilities to three digits, alone and among other streams"],
    tests: ["test/workers/vad/vad.test.ts", "test/workers/vad/speech-spans.test.ts"],
    open: "nothing of the model; how well it suits a telephone line",
  },
  "smart-turn": {
    against: ["the features that pipecat computes, before they are normalized, within 1e-4"],
    tests: ["test/workers/turn/smart-turn.test.ts", FEATURES],
    open: "its decisions",
  },
  misaki: {
    against: ["the real dictionaries, read by the published rules of misaki"],
    tests: ["test/workers/g2p/english.test.ts"],
    open: "words that depend on more context than the cheap rules read",
  },
  program: {
    against: [
      "the files that npm installs in a checkout, which the tests of speech, phonemes and decoding run",
    ],
    tests: ["test/models/pull/archive.test.ts", "test/workers/g2p/phonemes.test.ts"],
    open: "other platforms than Linux",
  },
};
