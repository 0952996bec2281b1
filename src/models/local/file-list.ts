/** The files of a model that an operator has: those of its folder, and of the folders in it that exports use. */
import { closeSync, openSync, readdirSync, readFileSync, readSync, statSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { OperatorError } from "../../errors.ts";
import { type ModelFile, readModelFile } from "../../onnx/model-file.ts";
import { ProtobufError } from "../../onnx/protobuf.ts";

/** Files that cannot be used, with what to do. Nothing was installed. */
export class LocalFilesError extends OperatorError {}

/** `files`: paths below `root`. `chosen`: the file that was named, where it was no folder. */
export type FileList = { root: string; files: string[]; chosen: string | null };

const INNER = ["onnx", "voices"];

export function filesAt(path: string): FileList {
  if (statSync(path).isDirectory()) return { root: path, files: filesIn(path), chosen: null };
  const folder = dirname(path);
  const isInner = INNER.includes(basename(folder));
  const root = isInner ? dirname(folder) : folder;
  return {
    root,
    files: filesIn(root),
    chosen: isInner ? join(basename(folder), basename(path)) : basename(path),
  };
}

function filesIn(root: string): string[] {
  const list = (folder: string) =>
    readdirSync(join(root, folder), { withFileTypes: true })
      .filter((entry) => !entry.isDirectory() && !entry.name.startsWith("."))
      .map(({ name }) => join(folder, name));
  const inner = INNER.filter((name) => statSync(join(root, name), { throwIfNoEntry: false })?.isDirectory());
  return ["", ...inner].flatMap(list).sort();
}

/** The first bytes of a file. */
export function headOf(path: string, count: number): Buffer {
  const file = openSync(path, "r");
  try {
    const bytes = Buffer.alloc(count);
    return bytes.subarray(0, readSync(file, bytes, 0, count, 0));
  } finally {
    closeSync(file);
  }
}

/** What a graph declares; refuses what is no graph, is cut short, or lacks the files of its weights. */
export function graphAt(root: string, path: string): ModelFile {
  let graph: ModelFile;
  try {
    graph = readModelFile(join(root, path));
  } catch (error) {
    if (!(error instanceof ProtobufError)) throw error;
    throw new LocalFilesError(`${path} is no ONNX model, or is cut short: ${error.message}.`);
  }
  const lacking = graph.dataFiles.find((name) => !isFile(join(root, dirname(path), name)));
  if (lacking) throw new LocalFilesError(`${path} has its weights in ${lacking}, which is not beside it.`);
  return graph;
}

/** Refuses what is no JSON. */
export function jsonAt(root: string, path: string): unknown {
  try {
    return JSON.parse(readFileSync(join(root, path), "utf8"));
  } catch (error) {
    throw new LocalFilesError(`${path} is not JSON, or is cut short: ${(error as Error).message}.`);
  }
}

const isFile = (path: string) => statSync(path, { throwIfNoEntry: false })?.isFile() ?? false;

export const namesOf = (ports: ModelFile["inputs"]): string[] => ports.map(({ name }) => name);
