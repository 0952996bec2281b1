/**
 * `npm run build:image`: makes dist/image, what the image of a container consists of, from an executable and from libraries of
 * this machine, which must be Debian or Ubuntu.
 *
 *   npm run build && npm run build:image             with the executable of this machine
 *   npm run build:image -- --executable FILE
 */
import { join } from "node:path";
import { parseArgs } from "node:util";
import { BuildError, fileName, hostTarget, OUTPUT, targetOf } from "../build/target.ts";
import { makeImage } from "./image-files.ts";

const { values } = parseArgs({ options: { executable: { type: "string" } } });

try {
  const executable = values.executable ?? join(OUTPUT, fileName(targetOf(hostTarget()), "full"));
  for (const each of makeImage(join(OUTPUT, "image"), executable)) console.log(`missing: ${each}`);
} catch (error) {
  if (!(error instanceof BuildError)) throw error;
  console.error(error.message);
  process.exitCode = 1;
}
