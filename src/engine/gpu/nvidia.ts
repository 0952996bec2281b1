/**
 * What the CUDA provider needs besides itself: a driver, the libraries of the CUDA that it was built for, and cuDNN 9. Looks
 * for files where the dynamic loader looks, and where the toolkits put them; loads none.
 */
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { delimiter, join } from "node:path";

/** The first driver on Linux for a CUDA. Source: NVIDIA's table of minor version compatibility. */
const DRIVERS: Record<string, string> = { 12: "525.60.13", 13: "580.65.06" };

/** What the provider that `loquat gpu install` downloads links to: it is built for CUDA 12. */
const DOWNLOADED = [
  "libcudart.so.12",
  "libcublas.so.12",
  "libcublasLt.so.12",
  "libcufft.so.11",
  "libcurand.so.10",
];
const CUDNN = ["libcudnn.so.9"];

/** `folder` null: not found. `isSearched` false: the dynamic loader does not look there. */
type Library = { name: string; folder: string | null; isSearched: boolean };

export type Nvidia = {
  /** Version of the kernel module; null if there is none or its version is unknown. */
  driver: string | null;
  hasDriver: boolean;
  driverNeeded: string;
  gpus: string[];
  cudaNeeded: string;
  cuda: Library[];
  cudnn: Library[];
};

/** `linked`: what the installed provider links to. `libraryPath`: LD_LIBRARY_PATH. `root`: of the file system. */
type SearchPaths = { linked?: string[]; libraryPath: string | null; root?: string };

export function findNvidia({ linked = [], libraryPath, root = "/" }: SearchPaths): Nvidia {
  const searched = loaderFolders(root, libraryPath);
  const known = [...searched, ...toolkitFolders(root)];
  const find = (name: string): Library => {
    const folder = known.find((each) => existsSync(join(root, each, name))) ?? null;
    return { name, folder, isSearched: folder !== null && searched.includes(folder) };
  };
  const driver = driverVersion(root);
  const ofCuda = linked.filter((name) => TOOLKIT_LIBRARY.test(name));
  const cuda = ofCuda.length > 0 ? ofCuda : DOWNLOADED;
  const cudaNeeded = cuda.flatMap((name) => RUNTIME_LIBRARY.exec(name)?.[1] ?? [])[0] ?? "12";
  return {
    driver,
    hasDriver: driver !== null || find("libcuda.so.1").folder !== null,
    driverNeeded: DRIVERS[cudaNeeded] ?? DRIVERS[12]!,
    gpus: gpuNames(root),
    cudaNeeded,
    cuda: cuda.map(find),
    cudnn: CUDNN.map(find),
  };
}

/** Of the toolkit; the driver's own is `libcuda`. */
const TOOLKIT_LIBRARY = /^libcu(?:dart|blas|blasLt|fft|rand|sparse|solver)\.so\./;
const RUNTIME_LIBRARY = /^libcudart\.so\.(\d{1,3})$/;

/** Whether version `a` is `b` or later, part by part. */
export function isAtLeast(a: string, b: string): boolean {
  const [left, right] = [a, b].map((version) => version.split(".").map(Number));
  for (const [at, part] of right!.entries()) {
    const number = left![at] ?? 0;
    if (number !== part) return number > part;
  }
  return true;
}

const DEFAULT_FOLDERS = [
  "usr/lib/x86_64-linux-gnu",
  "lib/x86_64-linux-gnu",
  "usr/lib64",
  "lib64",
  "usr/lib",
  "lib",
];

/** In the loader's order: LD_LIBRARY_PATH, its configuration, its own folders. Relative to the root. */
function loaderFolders(root: string, libraryPath: string | null): string[] {
  const listed = filesIn(join(root, "etc/ld.so.conf.d")).flatMap((file) =>
    (textOf(join(root, "etc/ld.so.conf.d", file)) ?? "")
      .split("\n")
      .map((line) => line.replace(/#.*/, "").trim()),
  );
  const folders = [...(libraryPath ?? "").split(delimiter), ...listed].filter((folder) =>
    folder.startsWith("/"),
  );
  return [...folders.map((folder) => folder.slice(1).replace(/\/$/, "")), ...DEFAULT_FOLDERS];
}

/** Where NVIDIA's installers and WSL put libraries. */
function toolkitFolders(root: string): string[] {
  const versions = filesIn(join(root, "usr/local")).filter((name) => /^cuda(-1[2-9].*)?$/.test(name));
  return [...versions.map((name) => `usr/local/${name}/lib64`), "usr/lib/wsl/lib"];
}

function driverVersion(root: string): string | null {
  const release = textOf(join(root, "proc/driver/nvidia/version")) ?? "";
  return /Kernel Module.{0,40}?\s(\d{1,4}(?:\.\d{1,4}){1,3})/.exec(release)?.[1] ?? null;
}

function gpuNames(root: string): string[] {
  const folder = join(root, "proc/driver/nvidia/gpus");
  return filesIn(folder).flatMap((each) => {
    const model = /^Model:\s*(.+)$/m.exec(textOf(join(folder, each, "information")) ?? "")?.[1];
    return model ? [model.trim()] : [];
  });
}

function filesIn(folder: string): string[] {
  return existsSync(folder) ? readdirSync(folder).sort() : [];
}

function textOf(path: string): string | null {
  try {
    return readFileSync(path, "utf8");
  } catch {
    return null;
  }
}
