/** The upstreams that are used: opened with their first task, and opened again when their definition changes. */

import { readCredential } from "../../config.ts";
import type { SynthesisTask } from "../../engine/protocol/synthesis.ts";
import type { EngineRegistry, EngineSpec } from "../../engine/registry.ts";
import type { FailureKind } from "../../engine/upstream/transport/failure.ts";
import { openUpstream, type ServerStatus, type Upstream } from "../../engine/upstream/upstream.ts";
import type { Fallback } from "../../engine/upstream/upstream-runner.ts";
import type { UpstreamModel, UsableDefinition } from "../../models/upstream/definition.ts";
import type { UpstreamEngineOf, UpstreamSet } from "../../models/upstream/upstream-set.ts";

export type UpstreamFailed = (
  upstream: string,
  failure: { kind: FailureKind; server: string; message: string },
) => void;

export type LiveUpstreams = AsyncDisposable & {
  /** Null: no upstream has such an engine. */
  spec(engine: string): EngineSpec | null;
  /** The servers of an upstream; none while it was not used. */
  servers(name: string): ServerStatus[];
  /** Whether the key of an engine belongs to a definition that is no longer in force. */
  isReplaced(key: string): boolean;
  /** Stops what is no longer in force. */
  refresh(): void;
};

const KEY = "upstream ";
const QUEUE_MAX = 1024;
const LIVE_SHARE = 0.25; // of the places for transcription, for live speech only: a file may take minutes

export function openLiveUpstreams(set: UpstreamSet, failed: UpstreamFailed = () => {}): LiveUpstreams {
  const opened = new Map<string, Upstream>();
  const open = (usable: UsableDefinition): Upstream => {
    const key = keyOf(usable);
    const known = opened.get(key);
    if (known) return known;
    const { definition, preset } = usable;
    const upstream = openUpstream({
      preset,
      urls: definition.urls,
      credential: () => readCredential(definition.credential),
      failed: (failure) => failed(definition.name, failure),
    });
    opened.set(key, upstream);
    return upstream;
  };
  const isInForce = (key: string) => set.list().some((usable) => key.startsWith(keyOf(usable)));
  return {
    spec(engine) {
      const found = set.find(engine);
      return found && specOf(found, () => open(found));
    },
    servers: (name) =>
      set
        .list()
        .filter(({ definition }) => definition.name === name)
        .flatMap((usable) => opened.get(keyOf(usable))?.servers() ?? []),
    isReplaced: (key) => key.startsWith(KEY) && !isInForce(key),
    refresh() {
      for (const [key, upstream] of opened) {
        if (isInForce(key)) continue;
        opened.delete(key);
        upstream.retire();
      }
    },
    async [Symbol.asyncDispose]() {
      await Promise.all([...opened.values()].map((upstream) => upstream[Symbol.asyncDispose]()));
    },
  };
}

/** Another definition under the same name is another upstream. */
const keyOf = ({ definition, preset }: UsableDefinition) =>
  `${KEY}${definition.name} ${Bun.hash(JSON.stringify([definition, preset])).toString(36)} `;

function specOf({ entry, ...usable }: UpstreamEngineOf, open: () => Upstream): EngineSpec {
  const { max_in_flight } = usable.preset;
  const upstream = open();
  return {
    key: `${keyOf(usable)}${entry.model}`,
    idleMs: null,
    options: {
      size: max_in_flight,
      sizeNow: upstream.places,
      queueMax: QUEUE_MAX,
      reserved: entry.type === "stt" ? Math.floor(max_in_flight * LIVE_SHARE) : 0,
    },
    start: (_options, registry) => upstream.runner(entry.upstream_model, fallbackOf(entry, registry)),
  };
}

function fallbackOf(entry: UpstreamModel, registry: Pick<EngineRegistry, "engine">): Fallback | null {
  const { fallback } = entry;
  if (fallback === undefined) return null;
  if (entry.type === "stt") return (task, claim) => registry.engine(fallback).run(task, claim);
  const speakers = new Map(
    entry.voices.map(({ speaker, fallback_speaker = speaker }) => [speaker, fallback_speaker]),
  );
  return (task, claim) => {
    const { speaker, ...rest } = task as SynthesisTask;
    return registry.engine(fallback).run({ ...rest, speaker: speakers.get(speaker) ?? speaker }, claim);
  };
}
