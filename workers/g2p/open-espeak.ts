/** Opens eSpeak NG with all its data. Rejects where the package is not installed: it is optional, being GPL. */
import { readAsset } from "../../src/resources.ts";

export async function openEspeak() {
  const data = readAsset("@echogarden/espeak-ng-emscripten/espeak-ng.data");
  const { default: open } = await import("@echogarden/espeak-ng-emscripten");
  const module = await open({ getPreloadedPackage: () => data.buffer, print() {}, printErr() {} });
  return { espeak: new module.eSpeakNGWorker(), memory: () => module.HEAPU8 };
}
