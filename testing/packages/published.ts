/** Ports, metadata and sizes of test graphs, from what is published of the real exports in `models/signatures`. */
import { fileURLToPath } from "node:url";
import type { Family } from "../../src/engine/families/families.ts";
import {
  type PublishedGraph,
  type PublishedPort,
  readFamilySignature,
  signatureOf,
} from "../../src/models/signature/signature.ts";
import type { Graph, Value } from "../onnx.ts";

const MODELS = fileURLToPath(new URL("../../models", import.meta.url));

/** Sizes by their published names, in place of those of the package. */
export type Sizes = Record<string, number>;

/** What is published of a package, or of a model of its family with other sizes. */
export function published(family: Family, name: string, sizes: Sizes = {}) {
  const known = readFamilySignature(MODELS, family);
  if (!known) throw new Error(`nothing is published of ${family}`);
  const allSizes = { ...known.sizes, ...known.packages?.[name]?.sizes, ...sizes };
  return {
    ...signatureOf(known, name, sizes),
    sizes: allSizes,
    isListed: known.packages?.[name] !== undefined,
  };
}

/** A graph's ports as its file declares them. */
export function portsOf({ inputs, outputs }: PublishedGraph): Pick<Graph, "inputs" | "outputs"> {
  return { inputs: inputs.filter(({ optional }) => !optional).map(toValue), outputs: outputs.map(toValue) };
}

const toValue = ({ name, type, shape }: PublishedPort): Value => ({
  name,
  type,
  shape: shape.map((size, at) => size ?? `${name}_${at}`),
});

/** Metadata as text; what may be anything is given by the caller. */
export const metadataOf = (
  { metadata }: PublishedGraph,
  free: Record<string, string> = {},
): Record<string, string> =>
  Object.fromEntries(
    Object.entries(metadata).map(([key, value]) => [key, value === null ? (free[key] ?? "") : String(value)]),
  );
