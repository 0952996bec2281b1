/** Writes the files of a package into a model store as a pull would, however large: a part at a time, with their hashes. */
import { createHash } from "node:crypto";
import { closeSync, openSync, readFileSync, statSync, writeFileSync, writeSync } from "node:fs";
import type { Package } from "../../src/models/packages/package.ts";
import { incomingOf } from "../../src/models/store/incoming.ts";
import { blobOf, install, keepBlob, type LockedFile } from "../../src/models/store/store-writer.ts";
import { durationsGraph } from "../../src/onnx/durations-graph.ts";
import { type Graph, onnxParts, writeOnnx } from "../../testing/onnx.ts";
import { inRuntimeFormat } from "../../testing/packages/ort.ts";
import { type RealSizeFile, realSizeFiles } from "./files.ts";

/** Of a file's published size: nothing of weight is missing or too much. */
const DIFFERENCE_MAX = 0.06;
const NODES_BYTES = 2e6; // published exports have longer names, and more nodes

export async function installRealSize(weights: string, pkg: Package, variant: string | null): Promise<void> {
  const files: LockedFile[] = [];
  for (const each of await realSizeFiles(pkg, variant)) files.push(...(await written(weights, each, pkg)));
  const all = pkg.family === "kokoro" ? [...files, ...durationsOf(weights, files)] : files;
  install(weights, { ...pkg, files: all });
}

/** Files as they are, by role: copied. */
export function installFiles(weights: string, pkg: Package, paths: Record<string, string>): void {
  const files = pkg.files.map((file) => ({ ...file, ...kept(weights, [readFileSync(paths[file.role]!)]) }));
  install(weights, { ...pkg, files });
}

async function written(
  weights: string,
  { file, content, data }: RealSizeFile,
  pkg: Package,
): Promise<LockedFile[]> {
  if (typeof content === "string" || content instanceof Uint8Array)
    return [{ ...file, ...kept(weights, [Buffer.from(content as Uint8Array)]) }];
  const { graph, beside } = data === null ? { graph: content, beside: null } : split(content, data);
  const parts = file.path.endsWith(".ort")
    ? [await inRuntimeFormat(writeOnnx(graph), "all")]
    : onnxParts(graph);
  const files = [{ ...file, ...kept(weights, parts) }];
  const dataFile = pkg.files.find(
    ({ role, variant }) => role === `${file.role}-data` && variant === file.variant,
  );
  if (beside && dataFile) files.push({ ...dataFile, ...kept(weights, beside()) });
  for (const [index, { bytes }] of files.entries()) {
    const published = index === 0 ? file.bytes : dataFile!.bytes;
    if (published !== null && Math.abs(bytes - published) > DIFFERENCE_MAX * published + NODES_BYTES)
      throw new Error(`${pkg.name}, ${file.path}: ${bytes} bytes, published are ${published}`);
  }
  return files;
}

function kept(weights: string, parts: Iterable<Uint8Array>): { bytes: number; sha256: string } {
  const path = incomingOf(weights, "writing");
  const out = openSync(path, "w");
  const hash = createHash("sha256");
  for (const part of parts) {
    writeSync(out, part);
    hash.update(part);
  }
  closeSync(out);
  const { size } = statSync(path);
  const sha256 = hash.digest("hex");
  keepBlob(weights, path, sha256);
  return { bytes: size, sha256 };
}

/** The large weights in a file beside the graph; tables of positions stay inside, as in the published exports. */
function split(graph: Graph, file: string): { graph: Graph; beside: () => Generator<Uint8Array> } {
  const moved: (() => Iterable<Uint8Array>)[] = [];
  let offset = 0;
  const constants = (graph.constants ?? []).map((constant) => {
    if (!("parts" in constant) || constant.shape[0] === 1) return constant;
    const { name, shape, parts } = constant;
    const length = shape.reduce((all, size) => all * size, Float32Array.BYTES_PER_ELEMENT);
    const place = { name, shape, file, offset, length };
    moved.push(parts);
    offset += length;
    return place;
  });
  const beside = function* () {
    for (const parts of moved) yield* parts();
  };
  return { graph: { ...graph, constants }, beside };
}

/** As a pull derives it. */
function durationsOf(weights: string, files: LockedFile[]): LockedFile[] {
  const { sha256, variant } = files.find(({ role }) => role === "model")!;
  const pruned = durationsGraph(readFileSync(blobOf(weights, sha256)));
  if (pruned === null) throw new Error("the graph does not show its durations");
  const path = incomingOf(weights, "durations");
  writeFileSync(path, pruned);
  const prunedHash = createHash("sha256").update(pruned).digest("hex");
  keepBlob(weights, path, prunedHash);
  return [
    {
      role: "durations",
      path: `derived/durations-${variant}.onnx`,
      bytes: pruned.length,
      sha256: prunedHash,
      variant: variant!,
    },
  ];
}
