/**
 * The order in which tasks reach an engine: live audio first, then organizations in turn, and in each of them what its
 * listeners need first. So a long text delays no other listener's first words, and no flood delays another organization's files.
 *
 *   listener 1   ▶ played │ synthesized │  s3 is due here                  now ──┐
 *   listener 2                 s0 is due at once (no sound yet)                  │
 *
 *   org A: A2's s0 (due)   A1's s3 (listener has sound)   A4 (batch)             next: A2, B3, B3 … A1, A4
 *   org B: B3 B3 (batch)
 *
 * In each round, every waiting organization has one turn; one that joins during a round still gets its turn in it. Those
 * with a task that is due come first, and while there is one, what listeners do not need yet is left out of the rounds. A
 * streamed task is due when its listener has played everything before it, less the time that tasks take; a batch task,
 * a minute after it came. So everything is due at some time, and then has its turn within a round: nothing starves. Tasks in
 * the background, for which no caller waits, start while nothing else waits, and pause while other tasks run.
 *
 * Engines that share their places (`turns.ts`) take such turns within each organization too.
 *
 * Tasks wait by time, not by their number: what was admitted is served (`turns.ts`). A task whose caller leaves is removed
 * at once. While others wait, no organization has more than its share of the places that run.
 */
import type { Transferable } from "node:worker_threads";
import { lackOf } from "../errors.ts";
import { inSpan } from "../tracing/tracing.ts";
import type { Claim } from "./claim.ts";
import type { EngineWork, ResultOf, Work } from "./protocol/task.ts";
import type { Runner, RunnerOptions } from "./runner.ts";
import { type Load, openTurns, type Turns } from "./turns.ts";

export type Scheduler<W extends Work = EngineWork> = AsyncDisposable & {
  run<T extends W["task"]>(task: T, claim: Claim, transfer?: Transferable[]): Promise<ResultOf<T, W>>;
  load(): Load;
};

/** How long a task waited and ran, whether or not it succeeded. */
export type TaskTimes = { urgency: Claim["urgency"]; waitedMs: number; ranMs: number };

/**
 * `ran` is called after each task. `traced`: the name of the engine in the spans of its tasks; without it they have none.
 * `turns`: shared with other engines, which have other names; absent: its own. `now` is a clock in milliseconds.
 */
type QueueOptions = RunnerOptions & {
  ran?: (times: TaskTimes) => void;
  traced?: string;
  turns?: Turns;
  now?: () => number;
};

export function openScheduler<W extends Work = EngineWork>(
  runner: Runner<W>,
  options: QueueOptions,
): Scheduler<W> {
  const { reserved = 0, ran, traced, now = () => performance.now() } = options;
  const { turns = openTurns(options) } = options;
  const engine = { engine: traced ?? "", reserved };
  return {
    async run(task, claim, transfer = []) {
      const trace = traced === undefined ? null : claim.trace;
      const attributes = trace ? { "loquat.engine": traced!, "loquat.urgency": claim.urgency } : {};
      const arrivedMs = now();
      const turn = turns.take(claim, engine);
      await inSpan(trace, ["queue", attributes], () => turn);
      const begunMs = now();
      claim.begun?.();
      try {
        return await inSpan(trace, ["engine", attributes], () => runner.run(task, transfer, claim));
      } catch (cause) {
        throw lackOf(cause) ?? cause;
      } finally {
        const ranMs = now() - begunMs;
        turns.end(claim, engine, ranMs);
        ran?.({ urgency: claim.urgency, waitedMs: begunMs - arrivedMs, ranMs });
      }
    },
    load: () => turns.load(engine.engine),
    [Symbol.asyncDispose]: () => runner[Symbol.asyncDispose](),
  };
}
