/** The process that converts text to phonemes, and what its tests need. */
import { existsSync } from "node:fs";
import { installedFamilies } from "../../../src/engine/families/installed.ts";
import { openProcessPool } from "../../../src/engine/process-pool.ts";
import type { G2pTask } from "../../../src/engine/protocol/g2p.ts";
import { WEIGHTS } from "../../clips.ts";

export const hasEspeak = installedFamilies().has("espeak");
export const unlessEspeak = hasEspeak ? "" : " (skipped: @echogarden/espeak-ng-emscripten is not installed)";
export const MISAKI = `${WEIGHTS}/misaki`;
export const hasMisaki = existsSync(MISAKI);
export const unlessMisaki = hasMisaki ? "" : " (skipped: the English dictionaries are not here)";

/** `args` is empty, or the folder of the dictionaries. */
export function openReader(args: string[]) {
  const worker = new URL("../../../workers/g2p/g2p.ts", import.meta.url);
  const pool = openProcessPool(worker, { size: 1, args });
  return {
    say(text: string, voice: string, alphabet: G2pTask["alphabet"] = "kokoro"): Promise<string> {
      const task: G2pTask = { kind: "phonemes", text, voice, alphabet };
      return pool.run(task);
    },
    read: (task: G2pTask) => pool.run(task),
    close: () => pool[Symbol.asyncDispose](),
  };
}
