/**
 * The engines that speak, by family. A family's threads or processes start when its first task comes, or at
 * `warm`, so that a server nobody asks for French holds no French.
 */
import type { Runner, RunnerOptions } from "../engine/runner.ts";
import type { SpeechResult, SpeechTask } from "../engine/task.ts";

/** One segment to one engine: samples at `SPEECH_RATE`, empty when there was nothing to say. */
export type Speakers = AsyncDisposable & {
  say(family: string, task: SpeechTask): Promise<SpeechResult>;
  warm(family: string): void;
};

type OpenRunner = (options: RunnerOptions) => Runner;

export function openSpeakers(families: Record<string, OpenRunner>, options: RunnerOptions): Speakers {
  const open = new Map<string, Runner>();
  const runner = (family: string): Runner => {
    const known = open.get(family);
    if (known) return known;
    const start = families[family];
    if (!start) throw new Error(`no engine speaks for the family ${family}`);
    const started = start(options);
    open.set(family, started);
    return started;
  };
  return {
    say: (family, task) => runner(family).run<SpeechResult>(task),
    warm: (family) => void runner(family),
    async [Symbol.asyncDispose]() {
      await Promise.all([...open.values()].map((started) => started[Symbol.asyncDispose]()));
    },
  };
}
