/** Has an engine encode recorded voices, and keeps what it returns; a voice that another engine encoded is encoded again. */
import { TTS_SAMPLE_RATE } from "../audio/rates.ts";
import { parseWav } from "../audio/reading/wav-file.ts";
import type {
  VoiceEncodingResult,
  VoiceEncodingTask,
  VoiceStyle,
} from "../engine/protocol/voice-encoding.ts";
import type { EngineRegistry } from "../engine/registry.ts";
import type { Claim } from "../engine/runner.ts";
import { Refusal } from "../errors.ts";
import { encodingBytes } from "./encoding.ts";
import type { OwnVoice, Voices } from "./voices.ts";

const ENCODING_BYTES_MAX = 16 * 1024 * 1024;

export type Encoding = { registry: Pick<EngineRegistry, "engine">; engine: string; claim: Claim };

/** As bytes to keep. Refuses as `inference_unavailable` where the engine fails. */
export async function encodeVoice(
  samples: Float32Array,
  { registry, engine, claim }: Encoding,
): Promise<Buffer> {
  const task: VoiceEncodingTask = { kind: "voice-encoding", samples };
  let result: VoiceEncodingResult;
  try {
    result = await registry.engine(engine).run(task, claim);
  } catch (cause) {
    claim.signal.throwIfAborted();
    if (cause instanceof Refusal) throw cause;
    throw new Refusal("inference_unavailable", "The speech engine failed. Try again.", { cause });
  }
  const { data } = result;
  if (data.length === 0 || data.byteLength > ENCODING_BYTES_MAX || !data.every(Number.isFinite))
    throw new Refusal("inference_rejected", "The speech engine cannot make a voice of this recording.");
  return encodingBytes(result);
}

/** What the engine speaks with; it is encoded now where it has not been before. */
export async function styleOf(voices: Voices, voice: OwnVoice, encoding: Encoding): Promise<VoiceStyle> {
  const { engine } = encoding;
  const known = await voices.style(voice, engine);
  if (known) return known;
  const recording = await voices.read(voice, "recording");
  const parsed = recording && parseWav(recording, Number.POSITIVE_INFINITY);
  if (!parsed || parsed.sampleRate !== TTS_SAMPLE_RATE) throw gone(voice.id);
  await voices.keepEncoding(voice, engine, await encodeVoice(parsed.samples, encoding));
  return (await voices.style(voice, engine)) ?? fail(voice.id);
}

/** It was deleted since it was found. */
const gone = (id: string) => new Refusal("invalid_voice", `There is no voice ${id}.`, { param: "voice" });

function fail(id: string): never {
  throw gone(id);
}
