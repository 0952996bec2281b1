/**
 * The engines that speak, by family. A family's threads or processes start when its first task comes, or at
 * `warm`, so that a server nobody asks for French holds no French.
 */
import { type Claim, openQueue, type Queue } from "../engine/queue.ts";
import type { Runner, RunnerOptions } from "../engine/runner.ts";
import type { SpeechResult, SpeechTask } from "../engine/task.ts";

/** One segment to one engine: samples at `SPEECH_RATE`, empty when there was nothing to say. */
export type Speakers = AsyncDisposable & {
  say(family: string, task: SpeechTask, claim: Claim): Promise<SpeechResult>;
  warm(family: string): void;
};

type OpenRunner = (options: RunnerOptions) => Runner;

export function openSpeakers(families: Record<string, OpenRunner>, options: RunnerOptions): Speakers {
  const open = new Map<string, Queue>();
  const queue = (family: string): Queue => {
    const known = open.get(family);
    if (known) return known;
    const start = families[family];
    if (!start) throw new Error(`no engine speaks for the family ${family}`);
    const started = openQueue(start(options), options);
    open.set(family, started);
    return started;
  };
  return {
    say: (family, task, claim) => queue(family).run<SpeechResult>(task, claim),
    warm: (family) => void queue(family),
    async [Symbol.asyncDispose]() {
      await Promise.all([...open.values()].map((started) => started[Symbol.asyncDispose]()));
    },
  };
}
