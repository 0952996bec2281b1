/**
 * How the files of a package differ from what is published of them, in plain words. A graph that leaves open what is
 * published as fixed takes what it must, so that is no difference; a fixed size where any is published is one.
 */
import { existsSync, readFileSync, statSync } from "node:fs";
import { dirname, join } from "node:path";
import { type DeclaredPort, type ModelFile, readModelFile } from "../../onnx/model-file.ts";
import { ProtobufError } from "../../onnx/protobuf.ts";
import type { Package, PackageFile } from "../packages/package.ts";
import { ownSizes } from "./own-sizes.ts";
import {
  type PublishedGraph,
  type PublishedPort,
  readFamilySignature,
  type Signature,
  signatureOf,
  unpublishedSignature,
} from "./signature.ts";
import { vocabularyFaults } from "./vocabulary.ts";

/** A file and what contradicts what is published of it. */
export type Difference = { path: string; message: string };

type Files = { folder: string; files: Pick<PackageFile, "role" | "path">[] };

/**
 * Of an installed package. One that is not published is held against its own configuration; nothing is known of families
 * without a signature.
 */
export function differencesOf(
  { package: { name, family, files }, folder }: { package: Package; folder: string },
  { catalogue, isPublished }: { catalogue: string; isPublished: boolean },
): Difference[] {
  const known = readFamilySignature(catalogue, family);
  if (!known) return [];
  const all = { folder, files };
  const faults = vocabularyFaults(family, all);
  const signature = isPublished
    ? signatureOf(known, name)
    : unpublishedSignature(known, ownSizes(known, all));
  return [...compareFiles(signature, all), ...faults];
}

/** None where they agree. @internal */
export function compareFiles(signature: Signature, { folder, files }: Files): Difference[] {
  return files.flatMap(({ role, path }) => {
    const file = join(folder, path);
    const messages = existsSync(file) ? differencesIn(signature, role, file) : ["it is missing"];
    return messages.map((message) => ({ path, message }));
  });
}

function differencesIn(signature: Signature, role: string, file: string): string[] {
  const graph = file.endsWith(".onnx") ? signature.graph(role) : null;
  const settings = signature.settings[role];
  const lines = signature.lines[role];
  const bytes = Object.entries(signature.bytes).find(([prefix]) => role.startsWith(prefix))?.[1];
  return [
    ...(graph ? differencesOfGraph(graph, file) : []),
    ...(settings ? differencesOfSettings(settings, file) : []),
    ...(lines == null ? [] : differs("it has", `${linesOf(file)} entries`, `${lines} entries`)),
    ...(bytes == null ? [] : differs("it has", `${statSync(file).size} bytes`, `${bytes} bytes`)),
  ];
}

/** Both as they are to be read. */
const differs = (subject: string, actual: string, published: string): string[] =>
  actual === published ? [] : [`${subject} ${actual}, published: ${published}`];

/** Lines that end in a number: a piece of text and its id. */
const linesOf = (file: string): number =>
  readFileSync(file, "utf8")
    .split("\n")
    .filter((line) => / \d+\r?$/.test(line)).length;

function differencesOfGraph(published: PublishedGraph, file: string): string[] {
  let model: ModelFile;
  try {
    model = readModelFile(file);
  } catch (error) {
    if (error instanceof ProtobufError) return [`it is not an ONNX model: ${error.message}`];
    throw error;
  }
  const absent = model.dataFiles.filter((name) => !existsSync(join(dirname(file), name)));
  return [
    ...comparePorts("input", published.inputs, model.inputs),
    ...comparePorts("output", published.outputs, model.outputs),
    ...compareMetadata(published.metadata, model.metadata),
    ...absent.map((name) => `its weights are in ${name}, which is not beside it`),
  ];
}

type Kind = "input" | "output";

function comparePorts(kind: Kind, published: PublishedPort[], declared: DeclaredPort[]): string[] {
  const namesOf = ({ name, others }: PublishedPort) => [name, ...others];
  const named = new Set(published.filter(({ unnamed }) => !unnamed).flatMap(namesOf));
  const others = declared.filter(({ name }) => !named.has(name));
  const differences = published.flatMap((port) => {
    const names = namesOf(port);
    const found = port.unnamed ? others.shift() : declared.find(({ name }) => names.includes(name));
    if (!found) return port.optional ? [] : [`it has no ${kind} ${names.join(" or ")}`];
    return comparePort(`${kind} ${found.name}`, port, found);
  });
  if (kind === "output") return differences; // additional outputs are not used
  return [...differences, ...others.map(({ name }) => `it needs an input ${name}, which is not published`)];
}

function comparePort(
  port: string,
  { type, shape, otherShapes }: PublishedPort,
  declared: DeclaredPort,
): string[] {
  if (declared.type !== type) return [`${port} is ${declared.type ?? "no tensor"}, published: ${type}`];
  const alike = [shape, ...otherShapes].find(({ length }) => length === declared.shape.length);
  if (!alike) return [`${port} has ${declared.shape.length} dimensions, published: ${shape.length}`];
  return alike.flatMap((published, index) => {
    const is = declared.shape[index];
    if (typeof is !== "number" || published === null || is === published) return [];
    const expected = typeof published === "number" ? String(published) : `any (${published})`;
    return [`dimension ${index} of ${port} is ${is}, published: ${expected}`];
  });
}

function compareMetadata(published: PublishedGraph["metadata"], metadata: ModelFile["metadata"]): string[] {
  return Object.entries(published).flatMap(([key, expected]) => {
    const value = metadata[key];
    if (value === undefined) return [`its metadata lacks ${key}`];
    return expected === null ? [] : differs(`its metadata ${key} is`, JSON.stringify(value), `"${expected}"`);
  });
}

function differencesOfSettings(settings: PublishedGraph["metadata"], file: string): string[] {
  let json: unknown;
  try {
    json = JSON.parse(readFileSync(file, "utf8"));
  } catch (error) {
    return [`it is not JSON: ${(error as Error).message}`];
  }
  return Object.entries(settings).flatMap(([path, expected]) => {
    const value = path.split(".").reduce((value, key) => (value as Record<string, unknown>)?.[key], json);
    if (value === undefined) return [`it lacks ${path}`];
    return expected === null ? [] : differs(`${path} is`, JSON.stringify(value), JSON.stringify(expected));
  });
}
