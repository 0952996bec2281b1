/** A stand-in for the engines of speech: each letter of a text lasts ten milliseconds, and sounds like itself. */
import { TTS_SAMPLE_RATE } from "../../src/audio/rates.ts";
import type { OriginsTask, PlanTask } from "../../src/engine/protocol/plan.ts";
import type { SynthesisTask } from "../../src/engine/protocol/synthesis.ts";
import type { Engine } from "../../src/engine/registry.ts";
import { openSpool } from "../../src/memory/spool.ts";
import { openEncoders } from "../../src/speech/encoders.ts";
import { planScript } from "../../src/speech/plan.ts";
import type { Synthesizer } from "../../src/speech/synthesizer.ts";
import { originsOfSegments } from "../../src/speech/words/segment-origins.ts";

const LETTER = TTS_SAMPLE_RATE / 100;

type Task = PlanTask | OriginsTask | SynthesisTask;

/** `spoken`: the texts of what was synthesized, in order. `before`: of each of them. */
export function speakingEngine({ before = async (_text: string, _signal: AbortSignal) => {} } = {}) {
  const spoken: string[] = [];
  const engine: Engine = {
    async run<T>(task: object, { signal }: { signal: AbortSignal }): Promise<T> {
      return (await answer(task as Task, signal)) as T;
    },
  };
  async function answer(task: Task, signal: AbortSignal) {
    if (task.kind === "plan") return planScript(task.parts, task.language, task.delivery);
    if (task.kind === "origins") return originsOfSegments(task.parts, task.language, task.segments);
    await before(task.text, signal);
    spoken.push(task.text);
    const samples = new Float32Array(task.text.length * LETTER);
    for (let at = 0; at < task.text.length; at++)
      samples.fill((task.text.charCodeAt(at) % 128) / 256, at * LETTER, (at + 1) * LETTER);
    if (!task.words) return samples;
    const words = [...task.text.matchAll(/\S+/g)].map(({ 0: word, index: from }) => {
      const to = from + word.length;
      return { from, to, start: from * LETTER, end: to * LETTER };
    });
    return { samples, words };
  }
  return { engine, spoken };
}

export const synthesizerOf = (engine: Engine, folder: string): Synthesizer => ({
  registry: { engine: () => engine },
  speed: () => null,
  encoders: openEncoders({ openThread: noThread, openProcess: noThread, count: 1 }),
  spool: openSpool(folder),
});

const noThread = () => {
  throw new Error("only samples are encoded here");
};
