/** The tasks of a server's engines, held back in the order of their arrival until a test lets them go. */
import type { EngineRegistry } from "../src/engine/registry.ts";
import { until } from "./until.ts";

export function holdTasks(registry: EngineRegistry) {
  const tasks: { go(): void }[] = [];
  const real = registry.engine.bind(registry);
  registry.engine = (name) => ({
    async run<T>(...asked: Parameters<ReturnType<typeof real>["run"]>) {
      const { promise, resolve } = Promise.withResolvers<void>();
      tasks.push({ go: resolve });
      await promise;
      return real(name).run<T>(...asked);
    },
  });
  const arrived = async (count: number) => {
    await until(() => tasks.length >= count);
  };
  return { tasks, arrived };
}
