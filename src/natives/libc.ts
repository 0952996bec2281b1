/**
 * System calls that Bun does not offer, through the C library. Null or false where no known C library is found: callers
 * continue without them.
 */
import { ptr as addressOf, dlopen, FFIType } from "bun:ffi";

const ARCHITECTURES: Record<string, string> = { x64: "x86_64", arm64: "aarch64" };
const LIBRARIES = ["libc.so.6", `libc.musl-${ARCHITECTURES[process.arch]}.so.1`];

const { i32, u32, i64: long, u64, ptr } = FFIType;
const FUNCTIONS = {
  close: { args: [i32], returns: i32 },
  connect: { args: [i32, ptr, u32], returns: i32 },
  getpeername: { args: [i32, ptr, ptr], returns: i32 },
  getsockname: { args: [i32, ptr, ptr], returns: i32 },
  prctl: { args: [i32, long, long, long, long], returns: i32 },
  send: { args: [i32, ptr, u64, i32], returns: long },
  setgroups: { args: [long, ptr], returns: i32 },
  setresgid: { args: [u32, u32, u32], returns: i32 },
  setresuid: { args: [u32, u32, u32], returns: i32 },
  setrlimit: { args: [i32, ptr], returns: i32 },
  shutdown: { args: [i32, i32], returns: i32 },
  socket: { args: [i32, i32, i32], returns: i32 },
  syscall: { args: [long, long, long, long, long, long], returns: long },
} as const;

const PR_SET_DUMPABLE = 4;

export type Libc = ReturnType<typeof dlopen<typeof FUNCTIONS>>["symbols"];

/** Where libraries read the environment themselves: what a process sets in JavaScript at run time they do not see. */
export function setNativeEnvironment(name: string, value: string, libraries = librariesOf()): boolean {
  for (const library of libraries) {
    try {
      const { symbols } = dlopen(library, { setenv: { args: [ptr, ptr, i32], returns: i32 } });
      return (
        symbols.setenv(addressOf(Buffer.from(`${name}\0`)), addressOf(Buffer.from(`${value}\0`)), 1) === 0
      );
    } catch {
      // the next one
    }
  }
  return false;
}

/** None on Windows, whose libraries have no such call. */
const librariesOf = (): string[] =>
  process.platform === "darwin" ? ["libSystem.dylib"] : process.platform === "linux" ? LIBRARIES : [];

export function openLibc(): Libc | null {
  if (process.platform !== "linux") return null;
  for (const library of LIBRARIES) {
    try {
      return dlopen(library, FUNCTIONS).symbols;
    } catch {
      // the next one
    }
  }
  return null;
}

/** Gives the system what native code has freed and the C library keeps. False: this one cannot, as musl. */
export function returnFreeMemory(libraries = librariesOf()): boolean {
  for (const library of libraries) {
    try {
      return dlopen(library, { malloc_trim: { args: [u64], returns: i32 } }).symbols.malloc_trim(0n) === 1;
    } catch {
      // the next one
    }
  }
  return false;
}

/** From now on only root can read this process's memory, and it leaves no core dump. False: not possible here. */
export function forbidTracing(libc = openLibc()): boolean {
  return libc?.prctl(PR_SET_DUMPABLE, 0n, 0n, 0n, 0n) === 0;
}
