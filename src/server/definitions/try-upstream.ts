/** One request to each model of an upstream, as the server would send it. */
import { ASR_SAMPLE_RATE, TTS_SAMPLE_RATE } from "../../audio/rates.ts";
import { type Claim, soleClaim } from "../../engine/claim.ts";
import type { SynthesisTask } from "../../engine/protocol/synthesis.ts";
import { type Engine, openRegistry } from "../../engine/registry.ts";
import { type Definition, engineName, type UpstreamModel } from "../../models/upstream/definition.ts";
import type { Tried } from "../../models/upstream/upstream-operations.ts";
import type { UpstreamSet } from "../../models/upstream/upstream-set.ts";
import { recognize } from "../../transcription/recognize.ts";
import { openLiveUpstreams } from "./live-upstreams.ts";

const TEXT = "This is a test.";

/** Without fallbacks. Models that were not tried before the signal have failed. */
export async function tryUpstream(
  set: UpstreamSet,
  definition: Definition,
  signal = new AbortController().signal,
): Promise<Tried[]> {
  const reasons: string[] = [];
  await using live = openLiveUpstreams(set, (_name, { message }) => reasons.push(message));
  await using registry = openRegistry((name) => live.spec(name)!);
  const results: Tried[] = [];
  for (const entry of definition.models) {
    const engine = registry.engine(engineName(definition, entry));
    const begunMs = performance.now();
    const result = await tryModel(engine, entry, soleClaim(signal)).then(
      (message) => ({ ok: true, message: `${message} in ${Math.round(performance.now() - begunMs)} ms` }),
      (error: Error) => ({ ok: false, message: reasons.splice(0).at(-1) ?? error.message }),
    );
    results.push({ model: entry.model, ...result });
  }
  return results;
}

async function tryModel(engine: Engine, entry: UpstreamModel, claim: Claim): Promise<string> {
  claim.signal.throwIfAborted();
  if (entry.type === "stt") {
    const samples = Float32Array.from({ length: ASR_SAMPLE_RATE / 2 }, (_, i) => 0.1 * Math.sin(i / 9));
    const recording = { samples, spans: null, language: entry.languages[0]!, prompt: "", claim };
    await Array.fromAsync(recognize(engine, recording));
    return "half a second recognized";
  }
  const voice = entry.voices[0]!;
  const task: SynthesisTask = {
    ...{ text: TEXT, speaker: voice.speaker, language: voice.languages[0]!, speed: 1, instructions: "" },
  };
  const samples = await engine.run<Float32Array>(task, claim);
  return `${(samples.length / TTS_SAMPLE_RATE).toFixed(2)} seconds spoken by ${voice.id}`;
}
