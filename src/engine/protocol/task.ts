/**
 * Every task that travels between the server and its engines, on threads, in processes, on engine nodes and at upstreams,
 * and what comes of each. Who tells kinds apart does so by `switch (task.kind)` and ends in `unknownKind`, so that another
 * kind is an error of the compiler wherever it matters.
 */
import type {
  Diarization,
  SpeakersTask,
  VoiceResult,
  VoiceTask,
  WindowsResult,
  WindowsTask,
} from "./diarization.ts";
import type { G2pTask } from "./g2p.ts";
import type { Origins, OriginsTask, PlannedSegment, PlanTask } from "./plan.ts";
import type { RecognitionTask, Speech, SpeechTask } from "./recognition.ts";
import type { StreamingResult, StreamingTask } from "./streaming-recognition.ts";
import type { SynthesisResult, SynthesisTask } from "./synthesis.ts";
import type { TurnTask } from "./turn.ts";
import type { VadResult, VadTask } from "./vad.ts";
import type { VoiceEncodingResult, VoiceEncodingTask } from "./voice-encoding.ts";

/** A task of some pool, and what comes of it; a pool that does several things has a union of them. */
export type Work = { task: object; result: unknown };

/** A recognition posts its hypotheses and returns their number; a turn is over with the probability that is returned. */
export type EngineWork =
  | { task: SynthesisTask; result: SynthesisResult }
  | { task: VoiceEncodingTask; result: VoiceEncodingResult }
  | { task: RecognitionTask; result: number }
  | { task: SpeechTask; result: Speech }
  | { task: StreamingTask; result: StreamingResult[] }
  | { task: TurnTask; result: number }
  | { task: VadTask; result: VadResult[] }
  | { task: WindowsTask; result: WindowsResult }
  | { task: VoiceTask; result: VoiceResult }
  | { task: SpeakersTask; result: Diarization }
  | { task: G2pTask; result: string }
  | { task: PlanTask; result: PlannedSegment[] }
  | { task: OriginsTask; result: Origins[] };

export type Task = EngineWork["task"];
export type Kind = Task["kind"];
export type TaskOf<K extends Kind> = Extract<Task, { kind: K }>;

/** What comes of a task of the type `T`. */
export type ResultOf<T, W extends Work = EngineWork> = W extends { task: infer A; result: infer R }
  ? T extends A
    ? R
    : never
  : never;

export const isOf = <K extends Kind>(task: Task, kind: K): task is TaskOf<K> => task.kind === kind;

/** The end of a `switch` by kind. Throws, because a task may come from another node, or from code that is not checked. */
export function unknownKind(task: never): never {
  throw new Error(`no task of the kind ${JSON.stringify((task as Partial<Task>).kind)} is done here`);
}
