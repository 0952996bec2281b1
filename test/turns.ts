/** Counts the turns that an engine's tasks get, to see that one whose caller has left gets no more. */
import type { EngineRegistry } from "../src/engine/registry.ts";

/** From then on; disposing of it ends the count. */
export function countTurns(registry: EngineRegistry) {
  const engine = registry.engine;
  const engineOf = engine.bind(registry);
  const counted = {
    turns: 0,
    [Symbol.dispose]() {
      registry.engine = engine;
    },
  };
  registry.engine = (name) => {
    const engine = engineOf(name);
    return {
      run(task, claim, transfer) {
        const begun = () => {
          counted.turns++;
          claim.begun?.();
        };
        return engine.run(task, { ...claim, begun }, transfer);
      },
    };
  };
  return counted;
}
