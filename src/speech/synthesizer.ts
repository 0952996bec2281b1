/**
 * Speech as a response body: the encoded chunks of a clip.
 *
 *   synthesize -> samples -> encoder -> chunks
 *
 * `render` returns once there is audio, so that an engine failure before that is an ordinary HTTP error. A length-first
 * model knows its length before its first byte, so a streamed header is correct.
 */
import type { ClipFormat } from "../audio/formats.ts";
import { TTS_SAMPLE_RATE } from "../audio/rates.ts";
import type { PlannedSegment } from "../engine/protocol/plan.ts";
import type { EngineRegistry } from "../engine/registry.ts";
import { Refusal } from "../errors.ts";
import type { Spool, Spooled } from "../memory/spool.ts";
import type { Trace } from "../tracing/tracing.ts";
import type { Encoders, Encoding } from "./encoders.ts";
import { synthesizeWithLength } from "./length-first.ts";
import { originsOf, planOf } from "./plan.ts";
import { fitted } from "./portions.ts";
import { orPause, type Reader } from "./pronounceable.ts";
import { readScript } from "./script/read-script.ts";
import { withValues } from "./script/say-as.ts";
import type { Script } from "./script/script.ts";
import { DeliveredText, type SynthesisRequest, synthesize } from "./synthesize.ts";
import { Timeline, type WordTime } from "./words/timeline.ts";

/** `speed`: seconds of speech that an engine makes in a second; null where that is not known. */
export type Synthesizer = {
  registry: Pick<EngineRegistry, "engine">;
  speed: (engine: string) => number | null;
  encoders: Encoders;
  spool: Spool;
};

/** What to synthesize, and what the voice can pronounce of it. `script`: the text, where it was read before. */
export type RenderRequest = SynthesisRequest & { reader: Reader; script?: Script };

/** `wordTimes`: tells when each word is heard, or does where the engine knows. */
export type RenderOptions = ClipFormat & { lengthFirst: boolean; wordTimes?: boolean | "where known" };

/**
 * A clip in progress. `audioSeconds` is what was yielded so far, `words` those of it that were not taken yet, and
 * `deliveredShare` the part of the text, from 0 to 1, whose segments were yielded in full; ending `chunks` early stops the
 * engine. `isTimed`: whether it tells words.
 */
export type Clip = {
  isTimed: boolean;
  chunks: AsyncGenerator<Uint8Array, Uint8Array | null>;
  audioSeconds(): number;
  words(): WordTime[];
  deliveredShare(): number;
};

const SLICE = TTS_SAMPLE_RATE / 2; // encoded at a time: the first bytes leave before a long segment is done

/** Engines that cannot tell when words are heard, by name: they are not asked again. */
const untimedEngines = new Set<string>();

export function render(
  synthesizer: Synthesizer,
  request: RenderRequest,
  options: RenderOptions,
): Promise<Clip> {
  const { wordTimes = false } = options;
  return wordTimes === "where known"
    ? renderWithKnown(synthesizer, request, options)
    : renderAs(synthesizer, request, { ...options, wordTimes });
}

async function renderWithKnown(
  synthesizer: Synthesizer,
  request: RenderRequest,
  options: RenderOptions,
): Promise<Clip> {
  const { engine } = request;
  if (untimedEngines.has(engine)) return renderAs(synthesizer, request, { ...options, wordTimes: false });
  try {
    return await renderAs(synthesizer, request, { ...options, wordTimes: true });
  } catch (error) {
    if (!(error instanceof Refusal) || error.code !== "word_times_not_supported") throw error;
    untimedEngines.add(engine);
    return renderAs(synthesizer, request, { ...options, wordTimes: false });
  }
}

async function renderAs(
  synthesizer: Synthesizer,
  { reader, script: read, ...asked }: RenderRequest,
  { lengthFirst, wordTimes, ...format }: RenderOptions & { wordTimes: boolean },
): Promise<Clip> {
  const engine = synthesizer.registry.engine(asked.engine);
  const planner = synthesizer.registry.engine("plan");
  const { parts, visible, pronounced } = withValues(read ?? readScript(asked.text), asked.language);
  const plan = inTime(orPause(await planOf(planner, parts, asked), reader), synthesizer, asked);
  const timeline = wordTimes
    ? new Timeline({ ...asked, text: visible }, await originsOf(planner, { parts, plan }, asked))
    : null;
  const delivery = new DeliveredText(plan);
  const request = { ...asked, timeline, delivery, pronounced };
  const { samples, sampleCount } = lengthFirst
    ? await synthesizeWithLength({ engine, spool: synthesizer.spool }, request, plan)
    : { samples: synthesize(engine, request, plan), sampleCount: null };
  const first = await samples.next();
  if (first.done)
    throw new Refusal("inference_unavailable", "The speech engine produced no audio for this input.");
  let count = 0;
  async function* counted(): AsyncGenerator<Float32Array> {
    try {
      for (let step: IteratorResult<Float32Array> = first; !step.done; step = await samples.next()) {
        for (let offset = 0; offset < step.value.length; offset += SLICE) {
          const slice = step.value.subarray(offset, offset + SLICE);
          count += slice.length;
          yield slice;
        }
      }
    } finally {
      await samples.return(null);
    }
  }
  const open = () => synthesizer.encoders.open({ ...format, sampleCount }, request.claim);
  return {
    isTimed: wordTimes,
    chunks: encodeAll(open, counted(), request.claim.trace),
    audioSeconds: () => count / TTS_SAMPLE_RATE,
    words: () => timeline?.take() ?? [],
    deliveredShare: () => delivery.share,
  };
}

/** Where the listener waits for segments and not for all of them. */
function inTime(
  plan: PlannedSegment[],
  { speed: speedOf }: Synthesizer,
  { engine, speed: pace, language, claim }: SynthesisRequest,
): PlannedSegment[] {
  const speed = claim.urgency === "streaming" ? speedOf(engine) : null;
  return speed === null ? plan : fitted(plan, { speed, pace, language });
}

/** A whole clip with true lengths in its header, its duration, and its words where they were asked for. */
export type WholeClip = { body: Spooled; audioSeconds: number; words: WordTime[]; isTimed: boolean };

/** The caller closes `body` or reads its chunks. */
export async function renderWhole(
  synthesizer: Synthesizer,
  request: RenderRequest,
  options: Omit<RenderOptions, "lengthFirst">,
): Promise<WholeClip> {
  const clip = await render(synthesizer, request, { ...options, lengthFirst: false });
  const body = synthesizer.spool.open();
  try {
    let step = await clip.chunks.next();
    for (; !step.done; step = await clip.chunks.next()) {
      const written = body.append(step.value);
      if (written) await written;
    }
    if (step.value) await body.patch(step.value);
    return { body, audioSeconds: clip.audioSeconds(), words: clip.words(), isTimed: clip.isTimed };
  } catch (cause) {
    clip.chunks.return(null).catch(() => {});
    await body.close();
    throw cause;
  }
}

/** Yields the body; returns its corrected first bytes where the encoder has any. */
async function* encodeAll(
  open: () => Promise<Encoding>,
  samples: AsyncIterable<Float32Array>,
  trace: Trace | null = null,
): AsyncGenerator<Uint8Array, Uint8Array | null> {
  const encoding = await open();
  const span = trace?.begin("encode");
  let failure: unknown;
  try {
    for await (const slice of samples) {
      const bytes = await encoding.encode(slice);
      if (bytes.length > 0) yield bytes;
    }
    const { tail, head } = await encoding.finish();
    if (tail.length > 0) yield tail;
    return head;
  } catch (error) {
    failure = error;
    throw error;
  } finally {
    span?.end(failure);
    encoding.close();
  }
}
