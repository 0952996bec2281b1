/** The sizes of an unpublished package, from its own configuration and graphs. */
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { readModelFile } from "../../onnx/model-file.ts";
import { ProtobufError } from "../../onnx/protobuf.ts";
import type { PackageFile } from "../packages/package.ts";
import { type FamilySignature, layeredNames } from "./signature.ts";

type Files = { folder: string; files: Pick<PackageFile, "role" | "path">[] };

/** By their names in the signature; what neither says is absent, and may then be any. */
export function ownSizes(family: FamilySignature, files: Files): Record<string, number> {
  return { ...countedLayers(family, files), ...configuredSizes(family, files) };
}

/** Settings that the signature ties to a size, such as `decoder_layers` to `layers`. */
function configuredSizes({ settings = {}, sizes }: FamilySignature, files: Files): Record<string, number> {
  const found: Record<string, number> = {};
  for (const [role, expected] of Object.entries(settings)) {
    const json = jsonOf(files, role);
    for (const [path, size] of Object.entries(expected)) {
      const value = path.split(".").reduce((value, key) => (value as Record<string, unknown>)?.[key], json);
      if (typeof size === "string" && size in sizes && typeof value === "number") found[size] = value;
    }
  }
  return found;
}

/** How many layers its graphs name. */
function countedLayers({ graphs }: FamilySignature, { folder, files }: Files): Record<string, number> {
  const counts = Object.entries(graphs).map(([role, { inputs, outputs }]) => {
    const file = files.find((each) => each.role === role);
    const ports = file && portsOf(join(folder, file.path));
    if (!ports) return 0;
    const layered = layeredNames([...Object.keys(inputs), ...Object.keys(outputs)]);
    return Math.max(
      0,
      ...layered.map(
        ({ times, ...around }) => ports.filter((port) => isNumbered(port, around)).length / times,
      ),
    );
  });
  const layers = Math.max(0, ...counts);
  return layers === 0 ? {} : { layers };
}

const isNumbered = (port: string, { before, after }: { before: string; after: string }): boolean =>
  port.startsWith(before) &&
  port.endsWith(after) &&
  /^\d+$/.test(port.slice(before.length, port.length - after.length));

function portsOf(path: string): string[] | null {
  if (!path.endsWith(".onnx") || !existsSync(path)) return null;
  try {
    const { inputs, outputs } = readModelFile(path);
    return [...inputs, ...outputs].map(({ name }) => name);
  } catch (error) {
    if (error instanceof ProtobufError) return null; // the comparison says so
    throw error;
  }
}

function jsonOf({ folder, files }: Files, role: string): unknown {
  const file = files.find((each) => each.role === role);
  if (!file || !existsSync(join(folder, file.path))) return null;
  try {
    return JSON.parse(readFileSync(join(folder, file.path), "utf8"));
  } catch {
    return null; // the comparison says so
  }
}
