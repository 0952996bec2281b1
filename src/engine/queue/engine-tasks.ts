/**
 * The tasks of one organization that wait for one engine, and which of them is next by its position.
 *
 *   live       requests in turn
 *   streamed   by the time at which they are due
 *   batch      further parts of recordings, then requests in turn; what came a minute ago is due before all later tasks
 *   background requests in turn, once nothing else waits: jobs, for which no caller waits
 */
import { TransientMap, TransientSet } from "../../transient.ts";

/** Times are those of `performance.now()`. */
export type WaitingTask = {
  position: Position;
  /** Of several that share their places. */
  engine: string;
  arrivedMs: number;
  start: () => void;
};

/** `due`: a listener needs it now. `ahead`: its listener has sound left. */
export type Head = { task: WaitingTask; kind: "due" | "ahead" | "batch" | "background"; dueMs: number };

type Streamed = { task: WaitingTask; dueMs: number };

const BATCH_DUE_MS = 60_000;

/** Between the streamed tasks of a request that do not say when they are due. */
const SPACING_MS = 1000;

export class EngineTasks {
  readonly #live = new Requests();
  readonly #batch = new Requests();
  readonly #background = new Requests();
  readonly #parts: WaitingTask[] = []; // of recordings that are not streamed, by when they came
  readonly #streamed: Streamed[] = []; // by dueMs

  get length(): number {
    return this.urgentLength + this.#background.length;
  }

  /** Without those in the background. */
  get urgentLength(): number {
    return this.#live.length + this.#streamed.length + this.#batch.length + this.#parts.length;
  }

  add(task: WaitingTask): void {
    const { urgency, dueInMs, request } = task.position;
    if (isPart(task)) {
      addPart(this.#parts, task);
      return;
    }
    if (urgency !== "streaming") {
      this.#requestsOf(urgency).add(task);
      return;
    }
    const dueMs = task.arrivedMs + (dueInMs ?? SPACING_MS * this.#countOf(request));
    const place = this.#streamed.findLastIndex((other) => other.dueMs <= dueMs) + 1;
    this.#streamed.splice(place, 0, { task, dueMs });
  }

  remove(task: WaitingTask): void {
    const { urgency } = task.position;
    if (isPart(task)) {
      this.#parts.splice(this.#parts.indexOf(task), 1);
      return;
    }
    if (urgency !== "streaming") {
      this.#requestsOf(urgency).remove(task);
      return;
    }
    const place = this.#streamed.findIndex((other) => other.task === task);
    this.#streamed.splice(place, 1);
  }

  /** Removes a task because it is its turn: the next one of its class is another request's, where one waits. */
  take(task: WaitingTask): void {
    this.remove(task);
    const { urgency, request } = task.position;
    if (urgency !== "streaming" && !isPart(task)) this.#requestsOf(urgency).toEnd(request);
  }

  firstLive(): WaitingTask | null {
    return this.#live.first();
  }

  /** The next task that is not live. Streamed ones are due if they are by `byMs`. */
  first(nowMs: number, byMs: number): Head | null {
    const [streamed] = this.#streamed;
    const [part] = this.#parts;
    const oldest = older(part, this.#batch.oldest());
    const batchDueMs = oldest ? cameMs(oldest) + BATCH_DUE_MS : Number.POSITIVE_INFINITY;
    if (oldest && batchDueMs <= nowMs && !(streamed && streamed.dueMs < batchDueMs))
      return { task: oldest, kind: "due", dueMs: batchDueMs };
    if (streamed) return { ...streamed, kind: streamed.dueMs <= byMs ? "due" : "ahead" };
    const urgent = part ?? this.#batch.first();
    const task = urgent ?? this.#background.first();
    return task && { task, kind: urgent ? "batch" : "background", dueMs: Number.POSITIVE_INFINITY };
  }

  #requestsOf(urgency: Exclude<Urgency, "streaming">): Requests {
    if (urgency === "background") return this.#background;
    return urgency === "realtime" ? this.#live : this.#batch;
  }

  #countOf(request: string): number {
    return this.#streamed.filter(({ task }) => task.position.request === request).length;
  }
}

const cameMs = ({ position, arrivedMs }: WaitingTask): number => position.begunMs ?? arrivedMs;

/** Parts of a stream have their place among the streamed. */
const isPart = ({ position }: WaitingTask) => position.urgency === "batch" && position.begunMs !== undefined;

function addPart(parts: WaitingTask[], part: WaitingTask): void {
  parts.splice(parts.findLastIndex((other) => cameMs(other) <= cameMs(part)) + 1, 0, part);
}

function older(one: WaitingTask | undefined, other: WaitingTask | null): WaitingTask | null {
  if (!one || !other) return one ?? other;
  return cameMs(one) <= cameMs(other) ? one : other;
}

/** Tasks by request. A request that has had its turn moves to the end: maps keep the order of insertion. */
class Requests {
  readonly #requests = new TransientMap<string, WaitingTask[]>();
  readonly #byArrival = new TransientSet<WaitingTask>();

  get length(): number {
    return this.#byArrival.size;
  }

  add(task: WaitingTask): void {
    const { request } = task.position;
    const tasks = this.#requests.get(request);
    if (tasks) tasks.push(task);
    else this.#requests.set(request, [task]);
    this.#byArrival.add(task);
  }

  remove(task: WaitingTask): void {
    const { request } = task.position;
    const left = this.#requests.get(request)!.filter((other) => other !== task);
    if (left.length > 0) this.#requests.set(request, left);
    else this.#requests.delete(request);
    this.#byArrival.delete(task);
  }

  toEnd(request: string): void {
    const tasks = this.#requests.get(request);
    if (!tasks) return;
    this.#requests.delete(request);
    this.#requests.set(request, tasks);
  }

  first(): WaitingTask | null {
    return this.#requests.values().next().value?.[0] ?? null;
  }

  oldest(): WaitingTask | null {
    return this.#byArrival.values().next().value ?? null;
  }
}

/** From the most urgent to the least. */
export const URGENCIES = ["realtime", "streaming", "batch", "background"] as const;

export type Urgency = (typeof URGENCIES)[number];

/** What a task's turn depends on. */
export type Position = {
  urgency: Urgency;
  organization: string;
  request: string;
  /** Of a streamed task: in how many milliseconds its listener has played everything before it; 0 for the first sound. */
  dueInMs?: number;
  /**
   * Of a further part of a recording: when the recording came, by `performance.now()`. Such a task comes before what its
   * organization has not begun yet.
   */
  begunMs?: number;
};

/** Whether a task waits as long as it must: a further one of its request, and one in the background. */
export const isPatient = ({ urgency, begunMs, dueInMs = 0 }: Position): boolean =>
  urgency === "background" || begunMs !== undefined || dueInMs > 0;
