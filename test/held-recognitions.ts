/** The recognitions of a server, which a test continues: a stand-in for its recognizers. */
import type { RecognitionTask } from "../src/engine/protocol/recognition.ts";
import type { EngineRegistry } from "../src/engine/registry.ts";
import { loopTurn, until } from "./until.ts";

/** One under way. It ends when its caller has left, unless it `lingers`. */
type HeldRecognition = { recognizes(upToSeconds: number): Promise<void>; ends(): void; lingers(): void };

export function holdRecognitions(registry: EngineRegistry) {
  const held: HeldRecognition[] = [];
  registry.engine = () => ({
    async run<T>(task: object, { signal }: { signal: AbortSignal }) {
      const { port } = task as RecognitionTask;
      const { promise, resolve } = Promise.withResolvers<T>();
      let count = 0;
      const ends = () => resolve(count as T);
      signal.addEventListener("abort", ends, { once: true });
      held.push({
        async recognizes(end) {
          const word = { text: `word${count++}`, start: end - 1, end, confidence: 1 };
          port.postMessage({ start: end - 1, end, words: [word] });
          await loopTurn(); // it arrives
        },
        ends,
        lingers: () => signal.removeEventListener("abort", ends),
      });
      return await promise;
    },
  });
  return {
    /** The one of that number, from 1, once it has begun. */
    async begun(count: number): Promise<HeldRecognition> {
      await until(() => held.length >= count);
      return held[count - 1]!;
    },
  };
}
