/**
 * Removes from node_modules what a server never opens: other platforms' binaries, packages that are only used in development,
 * type declarations, source maps and sources of binaries. Plain JavaScript, for Node.js or Bun.
 *
 * Only an installation without development packages is pruned. npm does not bring back what lacks in a package, so whoever
 * installs development packages later starts with an empty folder (`isPruned`).
 */
import { existsSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { join, sep } from "node:path";

const MARKER = ".loquat-pruned";

/** Packages that others depend on for tools of theirs, for other runtimes or for features that are not used here. */
const UNUSED =
  /^(?:@esbuild(?:-kit)?|@peculiar|@typescript|bare-\w+|bun-types|drizzle-kit|esbuild|mediabunny|mp4box|tsx|tsyringe|typescript|werift.*)$/;
/** Folders, and the platforms that their entries are named by. */
const BINARIES = [
  { folder: "@evan/opus/node", nameOf: (platform, arch) => `${arch}-${platform}.node` },
  { folder: "better-sqlite3/prebuilds", nameOf: (platform, arch) => `${platform}-${arch}.node` },
  { folder: "onnxruntime-node/bin/napi-v6", nameOf: (platform) => platform },
  { folder: `onnxruntime-node/bin/napi-v6/${process.platform}`, nameOf: (_platform, arch) => arch },
];
const SCRIPT = /\.m?js$/;
/** Sources, and scripts in a form that is not loaded. */
const SOURCES = [
  "better-sqlite3/deps",
  "better-sqlite3/src",
  "bintrees/test",
  "libflacjs/dist/libflac.dev.js",
  "libflacjs/doc",
  "libflacjs/example",
  "libflacjs/tools",
  "swagger-ui-dist/swagger-ui-es-bundle.js",
  "swagger-ui-dist/swagger-ui-es-bundle-core.js",
  "zod/src",
];
/** By the name of a file or folder. */
const UNREAD = /\.(?:map|md|markdown|d\.[cm]?ts)$|^esnext$/;
/** Their names are read, or they are a licence. */
const KEPT = /^(?:licen[cs]e|notice|copying)/i;

export const isPruned = (modules) => existsSync(join(modules, MARKER));

/** `modules` is the path of node_modules. */
export function prune(modules) {
  const unused = list(modules).filter((name) => UNUSED.test(name));
  for (const path of [...unused, ...SOURCES]) remove(join(modules, path));
  for (const { folder, nameOf } of BINARIES) {
    const own = nameOf(process.platform, process.arch);
    const entries = list(join(modules, folder));
    if (!entries.includes(own)) continue; // a layout that is not known, or a platform without binaries
    for (const entry of entries)
      if (entry !== own && !SCRIPT.test(entry)) remove(join(modules, folder, entry));
  }
  for (const path of readdirSync(modules, { recursive: true })) {
    const name = path.slice(path.lastIndexOf(sep) + 1);
    if (UNREAD.test(name) && !KEPT.test(name)) remove(join(modules, path));
  }
  writeFileSync(join(modules, MARKER), "");
}

const list = (folder) => (existsSync(folder) ? readdirSync(folder) : []);

const remove = (path) => rmSync(path, { recursive: true, force: true });
