/**
 * The least of WASI preview 1 that a command-line program needs to turn arguments into one output file: arguments, a
 * clock that stands still, one writable file in memory, and an exit. It sees nothing of this machine.
 */
const OK = 0;
const BADF = 8;
const NOENT = 44;
const ROOT_FD = 3;
const FILE_FD = 4;

class Exit extends Error {
  constructor(readonly code: number) {
    super(`exit ${code}`);
  }
}

/** Runs the program's `_start` once, in an instance of its own; answers what it wrote to the file it opened. */
export function runCommand(
  module: WebAssembly.Module,
  args: string[],
): { code: number; file: Uint8Array; text: string } {
  const argv = args.map((arg) => new TextEncoder().encode(`${arg}\0`));
  const file = growable();
  const printed = growable();
  let memory: WebAssembly.Memory;
  let position = 0;
  const view = () => new DataView(memory.buffer);
  const bytes = () => new Uint8Array(memory.buffer);

  const imports = {
    args_sizes_get(count: number, size: number) {
      view().setUint32(count, argv.length, true);
      view().setUint32(
        size,
        argv.reduce((sum, arg) => sum + arg.length, 0),
        true,
      );
      return OK;
    },
    args_get(pointers: number, buffer: number) {
      let at = buffer;
      for (const [index, arg] of argv.entries()) {
        view().setUint32(pointers + 4 * index, at, true);
        bytes().set(arg, at);
        at += arg.length;
      }
      return OK;
    },
    clock_time_get(_clock: number, _precision: bigint, at: number) {
      view().setBigUint64(at, 0n, true);
      return OK;
    },
    fd_close: () => OK,
    fd_fdstat_get(fd: number, at: number) {
      if (fd > FILE_FD) return BADF;
      bytes().fill(0, at, at + 24);
      view().setUint8(at, fd === ROOT_FD ? 3 : 4); // a directory, a regular file
      view().setBigUint64(at + 8, ~0n & 0xffffffffffffffffn, true); // every right
      view().setBigUint64(at + 16, ~0n & 0xffffffffffffffffn, true);
      return OK;
    },
    fd_fdstat_set_flags: () => OK,
    fd_prestat_get(fd: number, at: number) {
      if (fd !== ROOT_FD) return BADF;
      view().setUint32(at, 0, true);
      view().setUint32(at + 4, 1, true);
      return OK;
    },
    fd_prestat_dir_name(_fd: number, at: number) {
      bytes()[at] = 0x2f; // "/"
      return OK;
    },
    path_open(
      _fd: number,
      _flags: number,
      path: number,
      length: number,
      openFlags: number,
      ...rest: unknown[]
    ) {
      void path;
      void length;
      if ((openFlags & 1) === 0) return NOENT; // nothing exists; a file can only be made
      position = 0;
      view().setUint32(rest.at(-1) as number, FILE_FD, true);
      return OK;
    },
    fd_read(_fd: number, _iovs: number, _count: number, at: number) {
      view().setUint32(at, 0, true);
      return OK;
    },
    fd_seek(fd: number, offset: bigint, whence: number, at: number) {
      if (fd !== FILE_FD) return BADF;
      position = Number(offset) + [0, position, file.length()][whence]!;
      view().setBigUint64(at, BigInt(position), true);
      return OK;
    },
    fd_write(fd: number, iovs: number, count: number, at: number) {
      let written = 0;
      for (let index = 0; index < count; index++) {
        const start = view().getUint32(iovs + 8 * index, true);
        const chunk = bytes().subarray(start, start + view().getUint32(iovs + 8 * index + 4, true));
        if (fd === FILE_FD) {
          file.write(chunk, position);
          position += chunk.length;
        } else printed.write(chunk, printed.length());
        written += chunk.length;
      }
      view().setUint32(at, written, true);
      return OK;
    },
    proc_exit(code: number): never {
      throw new Exit(code);
    },
  };
  const instance = new WebAssembly.Instance(module, { wasi_snapshot_preview1: imports as never });
  memory = instance.exports.memory as WebAssembly.Memory;
  let code = 0;
  try {
    (instance.exports._start as () => void)();
  } catch (error) {
    if (!(error instanceof Exit)) throw error;
    code = error.code;
  }
  return { code, file: file.bytes(), text: new TextDecoder().decode(printed.bytes()) };
}

function growable() {
  let held = new Uint8Array(64 * 1024);
  let length = 0;
  return {
    length: () => length,
    bytes: () => held.slice(0, length),
    write(chunk: Uint8Array, at: number) {
      const end = at + chunk.length;
      if (end > held.length) {
        const larger = new Uint8Array(Math.max(end, 2 * held.length));
        larger.set(held.subarray(0, length));
        held = larger;
      }
      held.set(chunk, at);
      length = Math.max(length, end);
    },
  };
}
