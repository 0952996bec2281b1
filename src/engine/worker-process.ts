/**
 * How a worker is started as a process of its own: by Bun from its file, or by the executable from its name.
 *
 * Of the environment, which may hold secrets, it gets where libraries and programs are, and it reads no settings of the folder that the server runs in: Bun would
 * run what they name.
 */
import { resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { readWeightsFolder } from "../config/config.ts";
import { nativesFolder } from "../natives/addon.ts";
import { isPacked, RUN_WORKER, resource, workerName } from "../resources.ts";

/** What runs, even where another version has taken its place on the disk since. */
const PROGRAM = isPacked && process.platform === "linux" ? "/proc/self/exe" : process.execPath;

const OF_A_CHECKOUT = [
  "--no-env-file",
  `--config=${resource("bunfig.toml")}`,
  `--tsconfig-override=${resource("tsconfig.json")}`,
];

/** For `Bun.spawn`: a command of this program. */
export const commandOf = (args: readonly string[]): string[] =>
  isPacked ? [PROGRAM, ...args] : [PROGRAM, ...OF_A_CHECKOUT, resource("src/main.ts"), ...args];

/** For `Bun.spawn`. */
export function workerProcess(script: URL, args: readonly string[] = []) {
  const command = isPacked ? [RUN_WORKER, workerName(script)] : [...OF_A_CHECKOUT, fileURLToPath(script)];
  return {
    cmd: [PROGRAM, ...command, ...args],
    env: { LOQUAT_WEIGHTS: resolve(readWeightsFolder()), ...(isPacked && { LOQUAT_CACHE: nativesFolder() }) },
  };
}
