/**
 * What of a window's recognition by Whisper is spent in ONNX Runtime itself: the least that any implementation on the same
 * graphs can take.
 */
import { ASR_SAMPLE_RATE } from "../../src/audio/rates.ts";
import { WHISPER_MELS } from "../../testing/packages/families/whisper.ts";
import type { Contents } from "../../testing/packages/model-store.ts";
import { openDecoder } from "../../workers/asr/whisper/decoder.ts";
import { openWhisperGraphs } from "../../workers/asr/whisper/graphs.ts";
import { specialTokens } from "../../workers/asr/whisper/tokens.ts";
import { openWhisperFeatures } from "../../workers/features/whisper.ts";

type Options = { contents: Contents; path: (role: string) => string; samples: Float32Array; threads: number };

/** Runs in this process, so that each call of the runtime can be timed; returns the seconds within them. */
export async function openRuntimeTimer({ contents, path, samples, threads }: Options) {
  const { InferenceSession } = await import("onnxruntime-node");
  const config = JSON.parse(String(contents.config!.bytes));
  const generation = JSON.parse(String(contents.generation!.bytes));
  const { d_model: width, decoder_layers: layers, decoder_attention_heads: heads } = config;
  const placement = { threads, devices: [], shared: false };
  const shape = { mels: WHISPER_MELS, width, layers, heads };
  const graphs = await openWhisperGraphs(
    { encoder: path("encoder"), decoder: path("decoder") },
    shape,
    placement,
  );
  const special = specialTokens(generation.eos_token_id, Object.keys(generation.lang_to_id).length);
  const decode = openDecoder(graphs, {
    special,
    suppressed: generation.suppress_tokens,
    blank: [0],
    firstMax: 1500,
    positionsMax: 448,
    timestamps: true,
    heads: [],
    batchMax: 1,
  });
  const features = openWhisperFeatures(WHISPER_MELS);
  const prompt = [special.startOfTranscript, special.firstLanguage, special.transcribe];
  const frames = Math.floor((samples.length / ASR_SAMPLE_RATE) * 50);
  const session = await InferenceSession.create(path("encoder"));
  const sessions = Object.getPrototypeOf(session) as { run: (...args: unknown[]) => Promise<unknown> };
  return async (): Promise<number> => {
    const { run } = sessions;
    let seconds = 0;
    sessions.run = async function timed(this: unknown, ...args) {
      const begun = performance.now();
      const outputs = await run.apply(this, args);
      seconds += (performance.now() - begun) / 1000;
      return outputs;
    };
    try {
      const [hidden] = await graphs.encode([features(samples).rows]);
      await decode({ hidden: hidden!, prompt, startAt: 0, temperature: 0, frames, aligned: false });
    } finally {
      sessions.run = run;
    }
    return seconds;
  };
}
