/**
 * Asks the servers of followed upstreams every ten minutes for their models, and stores what has changed, for all nodes. What
 * a server lists no more is no longer offered; where it lists nothing, or does not answer, nothing changes.
 */
import { readCredential } from "../config/config.ts";
import type { Log } from "../log/log.ts";
import type { Definition } from "./definition.ts";
import { followed } from "./discovered-definition.ts";
import type { UpstreamAdmin } from "./edits.ts";
import { DISCOVERY_MS, knownFrom } from "./operations.ts";
import type { UpstreamSet } from "./upstreams.ts";

const EVERY_MS = 600_000;

type Following = {
  set: UpstreamSet;
  admin: Pick<UpstreamAdmin, "put" | "refresh">;
  folder: string;
  log: Pick<Log, "info" | "warn">;
  everyMs?: number;
};

export function followModels(deps: Following): AsyncDisposable {
  const closing = new AbortController();
  const unlisted = new Set<string>(); // those whose last list failed: logged once
  let last: Promise<void> = Promise.resolve();
  const timer = setInterval(() => {
    last = last.then(() => askAll(deps, unlisted, closing.signal));
  }, deps.everyMs ?? EVERY_MS);
  timer.unref();
  return {
    async [Symbol.asyncDispose]() {
      clearInterval(timer);
      closing.abort(new Error("the server is closing"));
      await last;
    },
  };
}

async function askAll(deps: Following, unlisted: Set<string>, signal: AbortSignal): Promise<void> {
  const isAsked = deps.set.list().some(({ definition, source }) => definition.follow && source !== "folder");
  if (!isAsked) return;
  const known = knownFrom(deps.folder);
  for (const { definition, source } of deps.set.list()) {
    const { name, follow } = definition;
    if (!follow || source === "folder" || signal.aborted) continue;
    try {
      await ask({ ...deps, known }, definition, signal);
      unlisted.delete(name);
    } catch (cause) {
      if (!unlisted.has(name) && !signal.aborted)
        deps.log.warn("upstream_models_unknown", { upstream: name, cause });
      unlisted.add(name);
    }
  }
}

type Asking = Following & { known: ReturnType<typeof knownFrom> };

async function ask({ set, admin, known, log }: Asking, definition: Definition, signal: AbortSignal) {
  const limit = AbortSignal.any([signal, AbortSignal.timeout(DISCOVERY_MS)]);
  const changed = await followed(definition, { set, ...known, credential: readCredential }, limit);
  if (changed === null) return;
  await admin.refresh();
  const { name } = definition;
  const current = set.list().find((each) => each.definition.name === name)?.definition;
  if (!Bun.deepEquals(current, definition)) return; // it was edited meanwhile: the next time
  await admin.put(changed);
  log.info("upstream_models_changed", { upstream: name, models: changed.models.length });
}
