/**
 * Pulls that a server runs in the background, one after another: the model store has one writer at a time.
 *
 *   start ──> queued ──> running: bytes of total ──> installed: its state is forgotten
 *                 │                            └───> failed: its message stays until it is started again
 *                 └──cancel──> its state is forgotten; what was downloaded is kept
 */
import type { Package } from "../packages/package.ts";
import { ModelStoreError } from "../store/store-error.ts";
import { openHub } from "./hub.ts";
import { type PullOptions, pull } from "./pull.ts";

/**
 * `total` is 0 until the sources have declared their sizes. `message` says why it failed and what to do, `summary` why in one
 * sentence. `next_try_at`: in Unix seconds, when it is tried again without being asked; null: it is not.
 */
type PullState = {
  status: "running" | "failed";
  bytes: number;
  total: number;
  message: string | null;
  summary: string | null;
  next_try_at: number | null;
};

const BEGUN: PullState = {
  ...{ status: "running", bytes: 0, total: 0 },
  ...{ message: null, summary: null, next_try_at: null },
};

/** `notice`: called with a line for the log. Without a `variant`: the one that suits this machine. */
type Start = { licenseAccepted: boolean; notice: (line: string) => void; variant?: string | null };

/** Closing interrupts the running pull; what was downloaded is kept for the next one. */
export type PullQueue = AsyncDisposable & {
  /** Resolves when the package is installed, or rejects as the pull does; null: the package is being pulled already. */
  start(pkg: Package, options: Start): Promise<void> | null;
  /** Also forgets a pull that failed. False where there is none. */
  cancel(name: string): boolean;
  /** A pull that failed is started again by the caller, at a time in Unix seconds. */
  willTry(name: string, at: number): void;
  /** The state of a queued or running pull, or of the last one if it failed. */
  state(name: string): PullState | null;
  /** All states, by the package's name. */
  states(): ({ name: string } & PullState)[];
};

type PullsOptions = Pick<PullOptions, "weights" | "device" | "tryOut"> & { mirror: string | null };

export function openPullQueue({ weights, device, tryOut, mirror }: PullsOptions): PullQueue {
  const closing = new AbortController();
  const states = new Map<string, PullState>();
  const cancels = new Map<PullState, AbortController>();
  let last: Promise<void> = Promise.resolve();

  async function run(pkg: Package, state: PullState, options: Start): Promise<void> {
    const { licenseAccepted, notice, variant = null } = options;
    const cancelled = cancels.get(state)!.signal;
    const signal = AbortSignal.any([closing.signal, cancelled]);
    try {
      signal.throwIfAborted();
      const hub = openHub(mirror, { signal, notice });
      const report = ({ bytes, total }: { bytes: number; total: number }) =>
        void Object.assign(state, { bytes, total });
      await pull(pkg, { weights, device, variant, licenseAccepted, hub, report, tryOut });
      if (states.get(pkg.name) === state) states.delete(pkg.name);
    } catch (thrown) {
      if (cancelled.aborted) return;
      const error = (closing.signal.aborted ? closing.signal.reason : thrown) as Error;
      const { message } = error;
      const summary = error instanceof ModelStoreError ? error.summary : message;
      Object.assign(state, { status: "failed", message, summary });
      throw error;
    }
  }

  return {
    start(pkg, options) {
      if (states.get(pkg.name)?.status === "running") return null;
      const state = { ...BEGUN };
      states.set(pkg.name, state);
      cancels.set(state, new AbortController());
      const ended = last.then(() => run(pkg, state, options));
      last = ended.catch(() => {}).finally(() => cancels.delete(state)); // errors are reported to the caller
      return ended;
    },
    cancel(name) {
      const state = states.get(name);
      if (!state) return false;
      states.delete(name);
      cancels.get(state)?.abort(new ModelStoreError("The download was cancelled."));
      return true;
    },
    willTry(name, at) {
      const state = states.get(name);
      if (state) state.next_try_at = at;
    },
    state: (name) => states.get(name) ?? null,
    states: () => [...states].map(([name, state]) => ({ name, ...state })),
    async [Symbol.asyncDispose]() {
      closing.abort(
        new ModelStoreError("The server closed during the download. Pull the package again to resume."),
      );
      await last;
    },
  };
}
