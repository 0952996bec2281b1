/**
 * What operators have asked all nodes to install or remove: written once, in the database, and fulfilled by each node for
 * itself. It looks every two seconds.
 *
 *   install ──> requested ──each node──> pulled ──fails──> tried again after 30 s, 60 s … 16 min
 *   remove  ──> requested ──each node──> removed, where it was installed before
 *   cancel  ──> no request; running pulls of it end
 *
 * A node that starts is not ready until it has what was requested by then, for ten minutes at most; a package whose pull
 * has failed is not waited for. A later request changes nothing about nodes that are ready.
 */
import type { Clock } from "../../clock.ts";
import { oneAtATime } from "../../one-at-a-time.ts";
import type { Package } from "../packages/package.ts";
import { variantsIn } from "../store/installed-variants.ts";
import { inLock } from "../store/lock.ts";
import { installedMs, type ModelStore } from "../store/model-store.ts";
import { remove } from "../store/store-writer.ts";
import type { PullQueue } from "./pull-queue.ts";

/** `variants`: precisions by name, "" the one that suits the machine; null: the package should be removed. */
type PackageRequest = {
  name: string;
  variants: string[] | null;
  licenseAccepted: boolean;
  changedMs: number;
};

/** A precision of a package that was asked for, and when; null: the one that suits the machine. */
export type Asked = { name: string; version: string; variant: string | null; askedMs: number };

type RequestRows = {
  list(): Promise<PackageRequest[]>;
  find(name: string): Promise<PackageRequest | null>;
  /** With its event of the audit log, as the next two. `variant`: the one that was asked for; null: none was named. */
  install(request: PackageRequest, variant: string | null): Promise<void>;
  /** What is left of it is requested still. */
  remove(request: PackageRequest, variant: string | null): Promise<void>;
  /** A variant that this node alone had. */
  removedHere(name: string, variant: string): Promise<void>;
  delete(name: string): Promise<void>;
};

export type PackageRequests = AsyncDisposable & {
  /** Resolves once the database was asked, whether or not it answered. */
  asked: Promise<void>;
  /** Packages that this node waits for before it is ready; null: it could not learn yet which they are. */
  awaited(): string[] | null;
  /** Asks all nodes, and begins to pull here, also where a pull failed and would be tried again later. */
  install(name: string, options: { variant: string | null; licenseAccepted: boolean }): Promise<void>;
  /** Takes a request back. `here` cancels what this node pulls. */
  cancel(name: string, here: () => void): Promise<void>;
  /** `here` removes what this node has; nothing is asked of other nodes where it throws. */
  remove(name: string, variant: string | null, here: () => Promise<void>): Promise<void>;
};

type RequestDeps = {
  rows: RequestRows;
  weights: string;
  store: ModelStore;
  /** By name, as this version knows them. */
  packages: () => ReadonlyMap<string, Package>;
  pulls: PullQueue;
  /** Called with a line for the log: a long wait, a source that failed. */
  notice: (name: string, line: string) => void;
  /** Called when a pull of a request has failed. */
  failed: (asked: Asked, cause: unknown) => void;
  /** Called when a request was fulfilled here. */
  installed?: (asked: Asked) => void;
  clock: Clock;
  lookMs?: number;
};

const LOOK_MS = 2000;
const RETRY_MS = 30_000;
const RETRIES_MAX = 5; // doublings
const AWAITED_MS = 600_000;

export function openPackageRequests(deps: RequestDeps): PackageRequests {
  const { rows, clock, lookMs = LOOK_MS } = deps;
  const startedMs = clock.now();
  const looks = openLooks(deps);
  const timer = setInterval(looks.begin, lookMs);
  timer.unref();
  return {
    asked: looks.begin(),
    awaited: () => (clock.now() - startedMs < AWAITED_MS ? looks.awaited() : []),
    async install(name, { variant, licenseAccepted }) {
      const before = await rows.find(name);
      const variants = [...new Set([...(before?.variants ?? []), variant ?? ""])];
      const accepted = licenseAccepted || (before?.licenseAccepted ?? false);
      await rows.install({ name, variants, licenseAccepted: accepted, changedMs: clock.now() }, variant);
      await looks.now(name);
    },
    cancel: (name, here) =>
      looks.paused(async () => {
        await rows.delete(name);
        here();
      }),
    remove: (name, variant, here) =>
      looks.paused(async () => {
        await here();
        const before = await rows.find(name);
        const left = variant === null ? [] : (before?.variants ?? []).filter((each) => each !== variant);
        if (variant !== null && left.length === 0 && before?.variants == null)
          return rows.removedHere(name, variant);
        const variants = left.length > 0 ? left : null;
        await rows.remove({ name, variants, licenseAccepted: false, changedMs: clock.now() }, variant);
      }),
    async [Symbol.asyncDispose]() {
      clearInterval(timer);
      await looks.ended();
    },
  };
}

/** One at a time. Where the database does not answer, nothing changes. */
function openLooks(deps: RequestDeps) {
  const fulfil = openFulfilment(deps);
  const looks = oneAtATime(
    () => deps.rows.list().then(fulfil.all),
    () => {},
  );
  let pauses = 0;
  async function begin(): Promise<void> {
    if (pauses === 0) await looks.run();
  }
  return {
    awaited: fulfil.awaited,
    begin,
    /** After the look under way, which may not have seen what was just written. */
    async now(name: string): Promise<void> {
      await looks.running();
      fulfil.forget(name);
      await begin();
    },
    /** Nothing is fulfilled during the work: it would restore what is being removed. */
    async paused(work: () => Promise<void>): Promise<void> {
      pauses++;
      try {
        await looks.running();
        await work();
      } finally {
        pauses--;
      }
    },
    ended: looks.running,
  };
}

function openFulfilment({ weights, store, packages, pulls, notice, clock, ...told }: RequestDeps) {
  const failures = new Map<string, { count: number; retryMs: number }>();
  const begun = new Set<string>();
  const awaited = openAwaited();

  function install(pkg: Package, request: PackageRequest, variant: string): void {
    const { name } = pkg;
    const wanted = variant === "" ? null : variant;
    const pulled = pulls.start(pkg, {
      licenseAccepted: request.licenseAccepted,
      variant: wanted,
      notice: (line) => notice(name, line),
    });
    if (pulled === null) return; // it is being pulled already
    begun.add(name);
    const asked = { name, version: pkg.version, variant: wanted, askedMs: request.changedMs };
    pulled.then(
      () => {
        failures.delete(name);
        told.installed?.(asked);
      },
      (cause: unknown) => {
        const { count } = failures.get(name) ?? { count: 0 };
        const retryMs = clock.now() + RETRY_MS * 2 ** Math.min(count, RETRIES_MAX);
        failures.set(name, { count: count + 1, retryMs });
        pulls.willTry(name, Math.ceil(retryMs / 1000));
        told.failed(asked, cause);
      },
    );
  }

  /** Also one that no catalogue knows, such as one made of an operator's files. */
  async function removeOne({ name, changedMs }: PackageRequest): Promise<void> {
    if (store.installed(name) && (installedMs(weights, name) ?? changedMs) < changedMs)
      await inLock(weights, () => remove(weights, name));
  }

  async function installOne(pkg: Package, request: PackageRequest): Promise<void> {
    const { name } = request;
    if (pulls.state(name)?.status === "running" || (failures.get(name)?.retryMs ?? 0) > clock.now()) return;
    const missing = missingIn(store, request);
    if (missing !== undefined) install(pkg, request, missing);
  }

  async function fulfil(all: PackageRequest[]): Promise<void> {
    const known = packages();
    const names = new Set(all.flatMap(({ name, variants }) => (variants === null ? [] : name)));
    for (const name of begun) {
      if (names.has(name)) continue;
      pulls.cancel(name);
      begun.delete(name);
    }
    for (const request of all) {
      const pkg = known.get(request.name); // another version may know others
      const work = request.variants === null ? removeOne(request) : pkg && installOne(pkg, request);
      await work?.catch(() => {}); // the folder is being changed: the next look
    }
    const missing = all.filter((one) => known.has(one.name) && missingIn(store, one) !== undefined);
    awaited.look(missing.flatMap(({ name }) => (failures.has(name) ? [] : [name])));
  }

  return {
    all: fulfil,
    awaited: awaited.names,
    /** That it has failed, and when. */
    forget: (name: string) => void failures.delete(name),
  };
}

/** A requested variant that is not installed. */
function missingIn(store: Pick<ModelStore, "installed">, { name, variants }: PackageRequest) {
  const installed = store.installed(name);
  const has = installed ? ["", ...variantsIn(installed.package.files)] : [];
  return variants?.find((variant) => !has.includes(variant));
}

/** Of what was pending at the first look, what has been pending ever since; null before that. */
function openAwaited() {
  let names: string[] | null = null;
  return {
    names: () => names,
    look(pending: string[]): void {
      names = names === null ? pending : names.filter((name) => pending.includes(name));
    },
  };
}
