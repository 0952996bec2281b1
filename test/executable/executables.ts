/** The executables that `npm run build` has made for this machine. */
import { existsSync } from "node:fs";
import { join } from "node:path";
import {
  ALL_FLAVOURS,
  type Flavour,
  fileName,
  hostTarget,
  OUTPUT,
  targetOf,
} from "../../deploy/build/target.ts";

export const FLAVOURS = ALL_FLAVOURS;

/** Null where it is not built. */
export function builtExecutable(flavour: Flavour): string | null {
  try {
    const path = join(OUTPUT, fileName(targetOf(hostTarget()), flavour));
    return existsSync(path) ? path : null;
  } catch {
    return null; // no executable is made for this platform
  }
}
