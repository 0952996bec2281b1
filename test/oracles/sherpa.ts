/** sherpa-onnx, where its native part can be loaded: another implementation of the same families, to be compared with. */
import { createRequire } from "node:module";

type Result = { tokens: string[]; timestamps: number[]; text: string };
type Stream = {
  acceptWaveform(wave: { sampleRate: number; samples: Float32Array }): void;
  inputFinished?(): void;
};
type Offline = { createStream(): Stream; decode(stream: Stream): void; getResult(stream: Stream): Result };
type Online = Offline & { isReady(stream: Stream): boolean };

type Audio = { samples: Float32Array; sampleRate: number };
type Tts = { generate(order: { text: string; generationConfig: object }): Audio };

type SpeakerSegment = { start: number; end: number; speaker: number };
type Diarizer = { process(samples: Float32Array): SpeakerSegment[] };
type Extractor = {
  createStream(): Stream;
  compute(stream: Stream, external?: boolean): Float32Array;
};

type Sherpa = {
  OfflineSpeakerDiarization: new (config: object) => Diarizer;
  SpeakerEmbeddingExtractor: new (config: object) => Extractor;
  OfflineTts: new (config: object) => Tts;
  GenerationConfig: new (settings: object) => object;
  OfflineRecognizer: new (config: object) => Offline;
  OnlineRecognizer: new (config: object) => Online;
};

export const sherpa = load();
export const unlessSherpa = sherpa ? "" : " (skipped: sherpa-onnx-node cannot be loaded here)";

function load(): Sherpa | null {
  try {
    return createRequire(import.meta.url)("sherpa-onnx-node");
  } catch {
    return null;
  }
}

/** Of Pocket TTS, with the files of one package by their roles. */
export const pocketConfig = (file: (role: string) => string, numThreads: number) => ({
  model: {
    pocket: {
      lmFlow: file("flow"),
      lmMain: file("main"),
      encoder: file("encoder"),
      decoder: file("decoder"),
      textConditioner: file("text"),
      vocabJson: file("vocabulary"),
      tokenScoresJson: file("scores"),
    },
    numThreads,
    provider: "cpu",
  },
  maxNumSentences: 1,
});
