/**
 * Leaves the dictionaries of languages out of eSpeak NG's data that no voice here has, and that are large: 2.6 MB of the
 * executable. Their bytes become zeros, so that the offsets of the others, which are in the package's code, stay.
 */
import { BuildError } from "./target.ts";

/** Faroese, Cantonese and Interlingua. */
const UNUSED = ["fo", "yue", "ia"];

/** @param code of the package, which has the name and the range of every file in the data */
export function withoutUnused(data: Uint8Array, code: string): Uint8Array {
  const result = new Uint8Array(data);
  for (const language of UNUSED) {
    const range = new RegExp(`/${language}_dict",\\s*"?start"?:\\s*(\\d+),\\s*"?end"?:\\s*(\\d+)`).exec(code);
    if (range === null)
      throw new BuildError(
        `espeak-ng.js of @echogarden/espeak-ng-emscripten has changed: no ${language}_dict`,
      );
    result.fill(0, Number(range[1]), Number(range[2]));
  }
  return result;
}
