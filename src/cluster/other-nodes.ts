/**
 * Engines that other nodes of the database run and this one does not. Their models are in the catalogue of every node, so
 * that it is the same whichever node answers; a request that needs one here is refused, and may be repeated elsewhere.
 */

import type { EngineRegistry } from "../engine/registry.ts";
import { Refusal } from "../errors.ts";
import type { Node } from "./node.ts";

export type OtherNodes = {
  /** Whether only other nodes run the engine. */
  has(engine: string): boolean;
  /** The other nodes as they were seen last. */
  see(others: readonly Node[]): void;
};

/** `changed` is called when other nodes run other engines than before. */
export function openOtherNodes(isHere: (engine: string) => boolean, changed: () => void): OtherNodes {
  let engines: ReadonlySet<string> = new Set();
  return {
    has: (engine) => engines.has(engine) && !isHere(engine),
    see(others) {
      const staying = others.filter(({ draining }) => !draining);
      const seen = new Set(staying.flatMap(({ report }) => report.engines.map(({ name }) => name)));
      if (seen.size === engines.size && [...seen].every((name) => engines.has(name))) return;
      engines = seen;
      changed();
    },
  };
}

const RETRY_AFTER_SECONDS = 2;

export function withOtherNodes(registry: EngineRegistry, others: Pick<OtherNodes, "has">): EngineRegistry {
  return {
    engine(name) {
      if (others.has(name)) throw notHere();
      return registry.engine(name);
    },
    warm(name) {
      if (!others.has(name)) registry.warm(name);
    },
    started: () => registry.started(),
    loads: () => registry.loads(),
    speed: (name) => registry.speed(name),
    unload: (name) => registry.unload(name),
    retire: () => registry.retire(),
    [Symbol.asyncDispose]: () => registry[Symbol.asyncDispose](),
  };
}

const notHere = (): Refusal =>
  new Refusal("service_unavailable", "This node does not have the model yet; another one does. Try again.", {
    retryAfterSeconds: RETRY_AFTER_SECONDS,
  });
