/** Where a clip goes: a file, whose header is corrected at the end, or standard output, which cannot be corrected. */
import { type FileHandle, open } from "node:fs/promises";
import { openSpool } from "../../memory/spool.ts";
import { UsageError } from "./output.ts";

export type Destination = {
  append(bytes: Uint8Array): Promise<void>;
  /** Replaces the first bytes, at the end. */
  patch(bytes: Uint8Array): Promise<void>;
  finish(): Promise<void>;
};

export async function writeText(path: string, text: string): Promise<void> {
  await attempted(path, Bun.write(path, text));
}

export const attempted = <T>(path: string, work: Promise<T>): Promise<T> =>
  work.catch((error) => {
    throw new UsageError(`Cannot write ${path}: ${(error as Error).message}`);
  });

export async function openFileDestination(path: string): Promise<Destination> {
  const attempt = <T>(work: Promise<T>) => attempted(path, work);
  const file: FileHandle = await attempt(open(path, "w"));
  let position = 0;
  const write = async (bytes: Uint8Array, start: number) => {
    for (let done = 0; done < bytes.length; )
      done += (await attempt(file.write(bytes, done, bytes.length - done, start + done))).bytesWritten;
  };
  return {
    async append(bytes) {
      await write(bytes, position);
      position += bytes.length;
    },
    patch: (bytes) => write(bytes, 0),
    finish: () => file.close(),
  };
}

/** The whole clip is written at its end, when its header is correct. `folder`: for what does not fit into memory. */
export function openOutputDestination(folder: string): Destination {
  if (process.stdout.isTTY)
    throw new UsageError("Audio is not written to a terminal. Redirect it, or give -o FILE or --play.");
  const spooled = openSpool(folder).open();
  return {
    append: async (bytes) => spooled.append(bytes),
    patch: spooled.patch,
    async finish() {
      for await (const chunk of spooled.chunks()) await Bun.write(Bun.stdout, chunk);
    },
  };
}
