/**
 * A root folder with the C library and nothing else, where a packed program runs as another user, read-only and without a
 * network; and PocketSphinx where this machine has it, which no executable contains.
 *
 *   FOLDER/loquat  lib64  lib  etc/passwd        read-only
 *   FOLDER/srv                                   a file system in memory: data and cache
 */
import { chmodSync, copyFileSync, cpSync, existsSync, mkdirSync, realpathSync, writeFileSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { SPHINX_FILES } from "../../src/engine/families/pocketsphinx-files.ts";

const LIBRARIES = ["c", "m", "mvec", "dl", "pthread", "rt", "resolv"].map((name) => `lib${name}.so`);
const ARCH = process.arch === "arm64" ? "aarch64-linux-gnu" : "x86_64-linux-gnu";
const LOADER = process.arch === "arm64" ? "/lib/ld-linux-aarch64.so.1" : "/lib64/ld-linux-x86-64.so.2";
const TOOLS = ["unshare", "mount", "chroot", "ip", "ldd"];
const UID = 4242;

/** Why no such root can be used here; empty where it can. */
export function rootProblem(): string {
  if (process.platform !== "linux" || process.getuid?.() !== 0) return "needs root on Linux";
  const missing = TOOLS.find((tool) => Bun.which(tool) === null);
  return missing === undefined ? "" : `needs the program ${missing}`;
}

/** `hasSphinx`: whether PocketSphinx is there too. */
export function makeRoot(folder: string, executable: string): { hasSphinx: boolean } {
  for (const path of ["proc", "dev", "srv", "home", "etc", "tmp"])
    mkdirSync(join(folder, path), { recursive: true });
  copyInto(folder, LOADER);
  for (const name of LIBRARIES)
    for (const file of [
      `/lib/${ARCH}/${name}.6`,
      `/lib/${ARCH}/${name}.2`,
      `/lib/${ARCH}/${name}.0`,
      `/lib/${ARCH}/${name}.1`,
    ])
      if (existsSync(file)) copyInto(folder, file);
  writeFileSync(join(folder, "etc/passwd"), `loquat:x:${UID}:${UID}::/home:/bin/sh\n`);
  writeFileSync(join(folder, "etc/hosts"), "127.0.0.1 localhost\n");
  copyFileSync(executable, join(folder, "loquat"));
  chmodSync(join(folder, "loquat"), 0o755);
  chmodSync(folder, 0o755);
  const sphinx = SPHINX_FILES.libraries.find((files) => files.every(existsSync));
  if (sphinx) addSphinx(folder, sphinx);
  return { hasSphinx: sphinx !== undefined };
}

function addSphinx(folder: string, libraries: readonly string[]): void {
  for (const library of libraries) {
    copyInto(folder, library);
    const { stdout } = Bun.spawnSync(["ldd", library]);
    for (const [, path] of stdout.toString().matchAll(/=> (\/\S+)/g)) copyInto(folder, path!, `/lib/${ARCH}`);
  }
  const model = dirname(SPHINX_FILES.languageModel);
  cpSync(realpathSync(model), join(folder, model), { recursive: true, dereference: true });
}

/** The file that a link points to, under the name of the link. */
function copyInto(folder: string, path: string, to = dirname(path)): void {
  mkdirSync(join(folder, to), { recursive: true });
  const target = join(folder, to, basename(path));
  if (!existsSync(target)) copyFileSync(realpathSync(path), target);
}

const MOUNTS = `
  set -e
  ip link set lo up
  mount --bind "$ROOT" "$ROOT"
  mount -o remount,ro,bind "$ROOT"
  mount -t tmpfs -o uid=${UID},gid=${UID},mode=700,exec tmpfs "$ROOT/srv"
  mount -t proc proc "$ROOT/proc"
  mount --rbind /dev "$ROOT/dev"
  exec "$@"`;

/** A command that runs a script in namespaces of its own, where only its loopback interface exists. */
export const inNamespaces = (script: URL): string[] => [
  "unshare",
  "--mount",
  "--net",
  "sh",
  "-c",
  MOUNTS,
  "sh",
  process.execPath,
  fileURLToPath(script),
];

/** A command of the packed program, inside. */
export const inside = (folder: string, args: readonly string[]) => ({
  cmd: ["chroot", `--userspec=${UID}:${UID}`, folder, "/loquat", ...args],
  env: {
    PATH: Bun.env.PATH,
    HOME: "/home",
    TMPDIR: "/srv",
    LOQUAT_CACHE: "/srv/cache",
    LOQUAT_DATA: "/srv/data",
    LOQUAT_LAME_DUCK_SECONDS: "0",
    PORT: "0",
  },
});
