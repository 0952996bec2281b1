/** The recordings that a command names: files, folders of files, standard input, and addresses that a server reads. */
import { accessSync, constants, createWriteStream, readdirSync, statSync } from "node:fs";
import { basename, extname, join } from "node:path";
import { pipeline } from "node:stream/promises";
import { UsageError } from "../base/output.ts";
import { isAddress } from "../jobs/send-recording.ts";

/** `name`: as the user wrote it. `output`: where its transcript goes, null: to standard output. */
export type Recording = { name: string; path: string; output: string | null };

const EXTENSIONS = new Set(
  "3gp aac ac3 aif aiff amr asf avi caf flac m4a m4b mka mkv mov mp2 mp3 mp4 mpeg mpg oga ogg opus w64 wav webm wma"
    .split(" ")
    .map((extension) => `.${extension}`),
);

type Outputs = { outputDir: string | undefined; extension: string };

/**
 * One recording goes to standard output; several, and those of a folder, each to a file beside it or in `outputDir`.
 * Standard input is written to `scratch` first, as are pipes: formats are read back and forth.
 */
export async function findRecordings(
  paths: string[],
  { outputDir, extension }: Outputs,
  scratch: string,
): Promise<Recording[]> {
  const isFolder = (path: string) => path !== "-" && !isAddress(path) && statOf(path).isDirectory();
  const names = paths.flatMap((path) => (isFolder(path) ? recordingsIn(path) : [path]));
  const isWritten = outputDir !== undefined || names.length > 1 || paths.some(isFolder);
  const recordings = names.map((name) => ({
    name,
    path: name,
    output: isWritten ? outputOf(name, { outputDir, extension }) : null,
  }));
  refuseSameOutput(recordings);
  for (const recording of recordings) {
    if (isAddress(recording.name)) continue;
    if (recording.name !== "-" && statOf(recording.name).isFile()) continue;
    recording.path = join(scratch, `recording-${recordings.indexOf(recording)}`);
    const source = recording.name === "-" ? process.stdin : Bun.file(recording.name).stream();
    await pipeline(source, createWriteStream(recording.path));
  }
  return recordings;
}

function statOf(path: string) {
  try {
    accessSync(path, constants.R_OK);
    return statSync(path);
  } catch (error) {
    throw new UsageError(`Cannot read ${path}: ${(error as Error).message}`);
  }
}

function recordingsIn(folder: string): string[] {
  const names = readdirSync(folder).filter((name) => EXTENSIONS.has(extname(name).toLowerCase()));
  if (names.length === 0) throw new UsageError(`There is no recording in ${folder}.`);
  return names.sort().map((name) => join(folder, name));
}

function outputOf(name: string, { outputDir, extension }: Outputs): string {
  if (name === "-") return join(outputDir ?? ".", `stdin.${extension}`);
  const path = isAddress(name) ? basename(new URL(name).pathname) || "recording" : name;
  const stem = path.slice(0, path.length - extname(path).length);
  return `${outputDir === undefined ? stem : join(outputDir, basename(stem))}.${extension}`;
}

function refuseSameOutput(recordings: Recording[]): void {
  for (const [index, { name, output }] of recordings.entries()) {
    const other = recordings.slice(0, index).find((each) => output !== null && each.output === output);
    if (other) throw new UsageError(`${other.name} and ${name} would both be written to ${output}.`);
  }
}
