/** Opens eSpeak NG with all its data. Rejects where it is neither built in nor pulled: it is optional, being GPL. */
import { readFileSync } from "node:fs";
import { pathToFileURL } from "node:url";
import { isBuiltIn, pulledFile } from "../../src/natives/programs.ts";
import { readAsset } from "../../src/resources.ts";
import { QUICK_REMAINDER } from "./quick-remainder.ts";

/** Tells Bun that code is plain JavaScript, whose translation would take a quarter of the time to open it. */
const TRANSLATED = "// @bun\n";

export async function openEspeak() {
  return isBuiltIn("espeak-ng") ? started(await builtIn()) : openPulled();
}

/** The pulled program. @internal */
export const openPulled = async () => started(await pulled());

async function started({ open, data }: Awaited<ReturnType<typeof builtIn>>) {
  const module = await open({ getPreloadedPackage: () => data.buffer, print() {}, printErr() {} });
  return { espeak: new module.eSpeakNGWorker(), memory: () => module.HEAPU8 };
}

async function builtIn() {
  changeCode();
  const { default: open } = await import("@echogarden/espeak-ng-emscripten");
  return { open, data: readAsset("@echogarden/espeak-ng-emscripten/espeak-ng.data") };
}

/** The code is loaded from where it lies: it is never a part of an executable without the GPL. */
async function pulled(): ReturnType<typeof builtIn> {
  const [code, data] = ["espeak-ng.js", "espeak-ng.data"].map((file) => pulledFile("espeak-ng", file));
  if (!code || !data) throw new Error("eSpeak NG is not installed");
  changeCode();
  const { default: open } = await import(pathToFileURL(code).href);
  return { open, data: readFileSync(data) as Buffer<ArrayBuffer> };
}

/** As it is loaded from now on; that of an executable was changed when it was built. */
function changeCode(): void {
  const { text, by } = QUICK_REMAINDER;
  Bun.plugin({
    name: "quick remainder",
    setup(build) {
      build.onLoad({ filter: /[\\/]espeak-ng\.js$/ }, ({ path }) => ({
        contents: TRANSLATED + readFileSync(path, "utf8").replace(text, by),
        loader: "js",
      }));
    },
  });
}
