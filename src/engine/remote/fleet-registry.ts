/** The engines of this node and of engine nodes, as one registry: a node is asked first, this one where none can. */
import type { EngineRegistry } from "../registry.ts";
import type { Fleet } from "./fleet.ts";
import { noNode } from "./node-failure.ts";

/** `isLocal`: whether this node has the engine. The rest of a registry is about the local ones. */
export function withFleet(
  local: EngineRegistry,
  fleet: Pick<Fleet, "engine" | "offerOf">,
  isLocal: (name: string) => boolean,
): EngineRegistry {
  return {
    engine(name) {
      if (fleet.offerOf(name) !== null) return fleet.engine(name, isLocal(name) ? local.engine(name) : null);
      if (isLocal(name)) return local.engine(name);
      throw noNode(); // its last node has left since it was chosen
    },
    warm(name) {
      if (isLocal(name)) local.warm(name);
    },
    started: () => local.started(),
    loads: () => local.loads(),
    speed: (name) => local.speed(name),
    unload: (name) => local.unload(name),
    retire: () => local.retire(),
    [Symbol.asyncDispose]: () => local[Symbol.asyncDispose](),
  };
}
