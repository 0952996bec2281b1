/**
 * The CUDA provider: libraries that belong to exactly one version of the runtime, and are not part of its npm package.
 *
 *   the runtime's own install script (NuGet), or a folder or an archive brought by hand ──> beside the runtime
 *
 * Published for Linux on x64 only. Sources: the package's `script/install-metadata.js`; the archives of its releases.
 */

import {
  copyFileSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { basename, join } from "node:path";
import { OperatorError } from "../../errors.ts";
import { linkedLibraries } from "./linked-libraries.ts";
import type { Runtime } from "./runtime.ts";

const PROVIDERS = ["libonnxruntime_providers_cuda.so", "libonnxruntime_providers_shared.so"] as const;

/** A provider that cannot be installed; the message says why and what to do. */
class ProviderError extends OperatorError {}

export const isSupported = ({ platform, arch }: Pick<Runtime, "platform" | "arch">) =>
  platform === "linux" && arch === "x64";

export const hasProvider = (runtime: Runtime | null): boolean =>
  runtime?.libraries != null && PROVIDERS.every((name) => existsSync(join(runtime.libraries!, name)));

/** What the installed provider links to; none where it is not installed. */
export const linkedByProvider = (runtime: Runtime | null): string[] =>
  hasProvider(runtime) ? linkedLibraries(join(runtime!.libraries!, PROVIDERS[0])) : [];

/** By the runtime's own script, which downloads about 200 MB. */
export async function downloadProvider(runtime: Runtime): Promise<void> {
  requireSupport(runtime);
  const script = join(runtime.folder, "script", "install.js");
  if (!existsSync(script))
    throw new ProviderError(
      `An executable does not download it. Bring ${archiveNames(runtime.version)} and run: loquat gpu install --from FILE`,
    );
  const child = Bun.spawn([process.execPath, script, "--onnxruntime-node-install=cuda12"], {
    cwd: runtime.folder,
    stdin: "ignore",
    stdout: "inherit",
    stderr: "inherit",
  });
  const code = await child.exited;
  if (code === 0 && hasProvider(runtime)) return;
  throw new ProviderError(
    `The runtime's install script failed with exit code ${code}. Without a network, bring ${archiveNames(runtime.version)} and run: loquat gpu install --from FILE`,
  );
}

const archiveNames = (version: string) =>
  `microsoft.ml.onnxruntime.gpu.linux.${version}.nupkg (nuget.org), onnxruntime_gpu-${version}-….whl (pypi.org) or onnxruntime-linux-x64-gpu-${version}.tgz (GitHub)`;

/** From a folder, a .nupkg, .whl, .zip, .tgz or .tar.gz. Its version must be that of the runtime. */
export async function bringProvider(runtime: Runtime, from: string): Promise<void> {
  requireSupport(runtime);
  if (!existsSync(from)) throw new ProviderError(`There is no folder or archive ${from}.`);
  if (statSync(from).isDirectory()) return copyProvider(runtime, { folder: from, name: basename(from) });
  const unpacked = mkdtempSync(join(tmpdir(), "loquat-gpu-"));
  try {
    await unpack(from, unpacked);
    copyProvider(runtime, { folder: unpacked, name: basename(from) });
  } finally {
    rmSync(unpacked, { recursive: true, force: true });
  }
}

function requireSupport({ platform, arch }: Runtime): void {
  if (isSupported({ platform, arch })) return;
  const others: Record<string, string> = { darwin: "coreml or webgpu", win32: "webgpu" };
  const instead = others[platform];
  throw new ProviderError(
    `The runtime's CUDA provider is published for Linux on x64 only, not for ${platform} ${arch}.${instead ? ` LOQUAT_DEVICE=${instead} may be tried here.` : ""}`,
  );
}

async function unpack(archive: string, to: string): Promise<void> {
  if (/\.(nupkg|whl|zip)$/i.test(archive)) return unzip(archive, to);
  if (!/\.(tgz|tar\.gz)$/i.test(archive))
    throw new ProviderError(`${archive} is not a .nupkg, .whl, .zip, .tgz or .tar.gz file.`);
  const child = Bun.spawn(["tar", "-xzf", archive, "-C", to], { stdin: "ignore", stderr: "pipe" });
  const errors = await child.stderr.text();
  if ((await child.exited) !== 0) throw new ProviderError(`${archive} cannot be unpacked: ${errors.trim()}`);
}

async function unzip(archive: string, to: string): Promise<void> {
  try {
    const { default: Zip } = await import("adm-zip");
    new Zip(archive).extractAllTo(to, true);
  } catch (error) {
    throw new ProviderError(`${archive} cannot be unpacked: ${(error as Error).message}`);
  }
}

function copyProvider(runtime: Runtime, { folder, name }: { folder: string; name: string }): void {
  const files = filesBelow(folder);
  const found = PROVIDERS.map((library) => files.find((path) => basename(path) === library));
  const lacking = PROVIDERS.filter((_, at) => found[at] === undefined);
  if (lacking.length > 0) throw new ProviderError(`${name} has no ${lacking.join(" and no ")}.`);
  const version = versionOf(name, files);
  if (version === null)
    throw new ProviderError(
      `The version of ${name} is unknown. Keep the name under which it was published, such as ${archiveNames(runtime.version)}.`,
    );
  if (version !== runtime.version)
    throw new ProviderError(`${name} belongs to ONNX Runtime ${version}; ${runtime.version} is installed.`);
  mkdirSync(runtime.libraries!, { recursive: true });
  for (const [at, library] of PROVIDERS.entries()) {
    const target = join(runtime.libraries!, library);
    copyFileSync(found[at]!, `${target}.part`);
    renameSync(`${target}.part`, target);
  }
}

const VERSION = /(?<![\d.])(\d{1,4}\.\d{1,4}\.\d{1,4})(?![\d.]{0,9}\d)/;

/** As the NuGet package or the release states it, else as its name does. */
function versionOf(name: string, files: string[]): string | null {
  const stated = files.find((path) => path.endsWith(".nuspec") || basename(path) === "VERSION_NUMBER");
  const text = stated ? readFileSync(stated, "utf8") : "";
  const version = stated?.endsWith(".nuspec") ? /<version>([^<]{1,40})<\/version>/.exec(text)?.[1] : text;
  return VERSION.exec(version ?? "")?.[1] ?? VERSION.exec(name)?.[1] ?? null;
}

const filesBelow = (folder: string): string[] =>
  readdirSync(folder, { recursive: true, encoding: "utf8" })
    .map((path) => join(folder, path))
    .filter((path) => statSync(path).isFile());
