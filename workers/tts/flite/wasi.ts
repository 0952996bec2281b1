/**
 * The part of WASI preview 1 that a command-line program needs to turn arguments into one output file: arguments, a clock
 * that stands still, one writable file in memory, and an exit. The program has no access to this machine.
 *
 *   descriptors   1 and 2: what it prints     3: the root directory     4: the file it writes
 */
// biome-ignore-all lint/complexity/useMaxParams: WASI fixes them
import { ByteBuffer } from "./byte-buffer.ts";

const OK = 0;
const BADF = 8; // bad descriptor
const NOENT = 44; // no such file
const ROOT_FD = 3;
const FILE_FD = 4;
const DIRECTORY = 3;
const REGULAR_FILE = 4;
const FDSTAT_BYTES = 24;
const EVERY_RIGHT = 0xffff_ffff_ffff_ffffn;
const OPEN_CREATE = 1;

type Calls = Record<string, (...args: never[]) => number>;
/** The memory of the program; it may move whenever the program runs, so it is looked up at every call. */
type Guest = { view(): DataView; bytes(): Uint8Array };

class Exit extends Error {
  constructor(readonly code: number) {
    super(`exit ${code}`);
  }
}

/** What one run of a program wrote and printed. `returned`: it ended by returning, so that its stack is as it was. */
export type CommandResult = { code: number; returned: boolean; file: Uint8Array; text: string };

/** An instance of a program. `memory` is looked up at every use: it may move whenever the program runs. */
export type Command = { memory(): Uint8Array; run(args: string[]): CommandResult };

export function openCommand(module: WebAssembly.Module): Command {
  let memory: WebAssembly.Memory;
  const guest: Guest = {
    view: () => new DataView(memory.buffer),
    bytes: () => new Uint8Array(memory.buffer),
  };
  let run = newRun([]);
  const imports = {
    ...argumentCalls(guest, () => run),
    ...directoryCalls(guest),
    ...fileCalls(guest, () => run),
    ...processCalls(guest),
  };
  const instance = new WebAssembly.Instance(module, { wasi_snapshot_preview1: imports as never });
  memory = instance.exports.memory as WebAssembly.Memory;
  return {
    memory: guest.bytes,
    run(args) {
      run = newRun(args);
      const ending = endingOf(instance.exports._start as () => void);
      return { ...ending, file: run.file.toBytes(), text: new TextDecoder().decode(run.printed.toBytes()) };
    },
  };
}

/** `position`: where the next bytes of the file are written. */
type Run = { argv: Uint8Array[]; file: ByteBuffer; position: number; printed: ByteBuffer };

const newRun = (args: string[]): Run => ({
  argv: args.map((arg) => new TextEncoder().encode(`${arg}\0`)),
  file: new ByteBuffer(),
  position: 0,
  printed: new ByteBuffer(),
});

function endingOf(start: () => void): Pick<CommandResult, "code" | "returned"> {
  try {
    start();
    return { code: 0, returned: true };
  } catch (error) {
    if (error instanceof Exit) return { code: error.code, returned: false };
    throw error;
  }
}

function argumentCalls({ view, bytes }: Guest, run: () => Run): Calls {
  return {
    args_sizes_get(countAt: number, sizeAt: number) {
      const { argv } = run();
      const size = argv.reduce((sum, arg) => sum + arg.length, 0);
      view().setUint32(countAt, argv.length, true);
      view().setUint32(sizeAt, size, true);
      return OK;
    },
    args_get(pointersAt: number, bufferAt: number) {
      let place = bufferAt;
      for (const [index, arg] of run().argv.entries()) {
        view().setUint32(pointersAt + 4 * index, place, true);
        bytes().set(arg, place);
        place += arg.length;
      }
      return OK;
    },
  };
}

/** One directory, "/", in which nothing exists. */
function directoryCalls({ view, bytes }: Guest): Calls {
  return {
    fd_prestat_get(fd: number, statAt: number) {
      if (fd !== ROOT_FD) return BADF;
      view().setUint32(statAt, 0, true); // a directory
      view().setUint32(statAt + 4, 1, true); // the length of its name
      return OK;
    },
    fd_prestat_dir_name(_fd: number, nameAt: number) {
      bytes()[nameAt] = "/".charCodeAt(0);
      return OK;
    },
    fd_fdstat_get(fd: number, statAt: number) {
      if (fd > FILE_FD) return BADF;
      bytes().fill(0, statAt, statAt + FDSTAT_BYTES);
      view().setUint8(statAt, fd === ROOT_FD ? DIRECTORY : REGULAR_FILE);
      view().setBigUint64(statAt + 8, EVERY_RIGHT, true);
      view().setBigUint64(statAt + 16, EVERY_RIGHT, true);
      return OK;
    },
    fd_fdstat_set_flags: () => OK,
  };
}

/** The only file is the one that the program creates; it can be written, and has nothing to read. */
function fileCalls({ view, bytes }: Guest, current: () => Run): Calls {
  const write = (fd: number, chunk: Uint8Array) => {
    const run = current();
    if (fd !== FILE_FD) return run.printed.write(chunk, run.printed.length);
    run.file.write(chunk, run.position);
    run.position += chunk.length;
  };
  return {
    /** (directory, lookup flags, path, its length, open flags, rights, inheriting rights, descriptor flags, fd at) */
    path_open(...args: number[]) {
      if ((args[4]! & OPEN_CREATE) === 0) return NOENT;
      current().position = 0;
      view().setUint32(args.at(-1)!, FILE_FD, true);
      return OK;
    },
    fd_read(_fd: number, _buffersAt: number, _count: number, readAt: number) {
      view().setUint32(readAt, 0, true);
      return OK;
    },
    fd_seek(fd: number, offset: bigint, whence: number, positionAt: number) {
      if (fd !== FILE_FD) return BADF;
      const run = current();
      run.position = Number(offset) + [0, run.position, run.file.length][whence]!;
      view().setBigUint64(positionAt, BigInt(run.position), true);
      return OK;
    },
    fd_write(fd: number, buffersAt: number, count: number, writtenAt: number) {
      let written = 0;
      for (let buffer = buffersAt; buffer < buffersAt + 8 * count; buffer += 8) {
        const [start, length] = [view().getUint32(buffer, true), view().getUint32(buffer + 4, true)];
        write(fd, bytes().subarray(start, start + length));
        written += length;
      }
      view().setUint32(writtenAt, written, true);
      return OK;
    },
    fd_close: () => OK,
  };
}

function processCalls({ view }: Guest): Calls {
  return {
    clock_time_get(_clock: number, _precision: bigint, timeAt: number) {
      view().setBigUint64(timeAt, 0n, true);
      return OK;
    },
    proc_exit(code: number): never {
      throw new Exit(code);
    },
  };
}
