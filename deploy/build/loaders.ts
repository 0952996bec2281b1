/**
 * The plugin that replaces how packages find their native part, or their worker, on the disk, and what Bun bundles wrongly.
 * What a package's text must be for that is checked: a package that changed fails the build, by name.
 */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import type { BunPlugin } from "bun";
import { QUICK_REMAINDER } from "../../workers/g2p/quick-remainder.ts";
import { GPL_PACKAGES } from "./natives.ts";
import { BuildError, type Flavour, ROOT } from "./target.ts";

/** A worker thread of Piscina starts here. */
export const PISCINA_WORKER = "node_modules/piscina/dist/worker.js";

const ADDON = JSON.stringify(join(ROOT, "src", "natives", "addon.ts"));
const RESOURCES = JSON.stringify(join(ROOT, "src", "resources.ts"));
const addon = (name: string) => `require(${ADDON}).loadAddon(${JSON.stringify(name)})`;

/** A file below `node_modules/`, a text that occurs in it once, and what takes its place. */
export type Replacement = { file: string; text: string; by: string };

export const REPLACEMENTS: Replacement[] = [
  {
    file: "better-sqlite3/lib/index.js",
    text: "require('./database')(require('./binding').getBinding, true)",
    by: `require('./database')(() => ${addon("sqlite.node")}, false)`,
  },
  {
    file: "@evan/opus/node/index.js",
    // biome-ignore lint/suspicious/noTemplateCurlyInString: it is the text of the package
    text: "require(`./${process.arch}-${process.platform}.node`)",
    by: addon("opus.node"),
  },
  {
    file: "@evan/opus/lib.js",
    text: "if (process.env.OPUS_FORCE_WASM) opus = require('./wasm/index.js');\nelse try { opus = require('./node/index.js'); } catch { opus = require('./wasm/index.js'); }",
    by: "opus = require('./node/index.js');",
  },
  { file: "@echogarden/espeak-ng-emscripten/espeak-ng.js", ...QUICK_REMAINDER },
  { file: "sentencex/index.cjs", text: "require(packageName)", by: addon("sentencex.node") },
  {
    file: "onnxruntime-node/dist/binding.js",
    // biome-ignore lint/suspicious/noTemplateCurlyInString: it is the text of the package
    text: "require(`../bin/napi-v6/${process.platform}/${process.arch}/onnxruntime_binding.node`)",
    by: addon("onnxruntime_binding.node"),
  },
  {
    file: "node-av/dist/lib/binding.js",
    text: "const bindings = loadBinding();",
    by: `const bindings = ${addon("node-av.node")};`,
  },
  {
    // Bun leaves out the class, which is not used here, but not the call with it
    file: "opus-decoder/index.js",
    text: 'assignNames(OpusDecoderWebWorker, "OpusDecoderWebWorker");',
    by: "",
  },
  {
    file: "piscina/dist/index.js",
    text: "(0, node_path_1.resolve)(__dirname, 'worker.js')",
    by: `require(${RESOURCES}).resource(${JSON.stringify(PISCINA_WORKER)})`,
  },
];

/** The replaced text of a file. Throws where the package is not what this build knows. */
export function replaced(content: string, { file, text, by }: Replacement): string {
  const pieces = content.split(text);
  if (pieces.length === 2) return pieces.join(by);
  throw new BuildError(
    `node_modules/${file} has changed: it has this text ${pieces.length - 1} times and not once: ${text}`,
  );
}

export const loaders = (flavour: Flavour): BunPlugin => ({
  name: "loquat",
  setup(build) {
    // Piscina loads it only where a priority is set for threads, which is not done here
    build.onResolve({ filter: /^@napi-rs\/nice$/ }, ({ path }) => ({ path, external: true }));
    if (flavour === "apache") {
      const filter = new RegExp(`^(${GPL_PACKAGES.join("|")})(/|$)`);
      build.onResolve({ filter }, ({ path }) => ({ path, external: true }));
    }
    for (const replacement of REPLACEMENTS) {
      const filter = new RegExp(
        `[\\\\/]node_modules[\\\\/]${replacement.file.replace(/[/.]/g, (c) => (c === "/" ? "[\\\\/]" : "\\."))}$`,
      );
      build.onLoad({ filter }, ({ path }) => ({
        contents: replaced(readFileSync(path, "utf8"), replacement),
        loader: "js",
      }));
    }
  },
});
