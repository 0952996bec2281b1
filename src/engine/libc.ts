/**
 * System calls that Bun does not offer, through the C library. Null where the system is not Linux or its C library is not
 * known: callers go on without.
 */
import { dlopen, FFIType } from "bun:ffi";

const ARCHITECTURES: Record<string, string> = { x64: "x86_64", arm64: "aarch64" };
const LIBRARIES = ["libc.so.6", `libc.musl-${ARCHITECTURES[process.arch]}.so.1`];

const { i32, u32, i64: long, ptr } = FFIType;
const FUNCTIONS = {
  prctl: { args: [i32, long, long, long, long], returns: i32 },
  setgroups: { args: [long, ptr], returns: i32 },
  setresgid: { args: [u32, u32, u32], returns: i32 },
  setresuid: { args: [u32, u32, u32], returns: i32 },
  setrlimit: { args: [i32, ptr], returns: i32 },
  syscall: { args: [long, long, long, long, long, long], returns: long },
} as const;

const PR_SET_DUMPABLE = 4;

export type Libc = ReturnType<typeof dlopen<typeof FUNCTIONS>>["symbols"];

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

/** From now on only root can read this process's memory, and it leaves no core dump. False: not possible here. */
export function forbidTracing(libc = openLibc()): boolean {
  return libc?.prctl(PR_SET_DUMPABLE, 0n, 0n, 0n, 0n) === 0;
}
