/**
 * Gives up what a decoder has no need of: memory beyond a bound, CPU time, files of any size, core dumps, and where
 * the kernel knows Landlock, the whole file system. Linux only; elsewhere the time limit and the format list stand.
 */
import { dlopen, FFIType, ptr } from "bun:ffi";
import { readFileSync } from "node:fs";

const MIB = 1024 * 1024;
const HEADROOM_BYTES = 800 * MIB; // what decoding may add to the process as it stands
const CPU_SECONDS = 60;

const RESOURCES = { cpu: 0, fileSize: 1, core: 4, openFiles: 7, addressSpace: 9 };
const PR_SET_PDEATHSIG = 1;
const SIGKILL = 9n;
const PR_SET_NO_NEW_PRIVS = 38;
const LANDLOCK_CREATE_RULESET = 444n;
const LANDLOCK_RESTRICT_SELF = 446n;
const ALL_OF_ABI_1 = 0x1fffn; // every kind of file access that the first Landlock knows

export function confine(): void {
  if (process.platform !== "linux") return;
  const long = FFIType.i64;
  const { symbols: libc } = dlopen("libc.so.6", {
    setrlimit: { args: [FFIType.i32, FFIType.ptr], returns: FFIType.i32 },
    prctl: { args: [FFIType.i32, long, long, long, long], returns: FFIType.i32 },
    syscall: { args: [long, FFIType.ptr, long, long], returns: long },
  });
  const limit = (resource: number, value: number) => {
    const set = libc.setrlimit(resource, ptr(BigUint64Array.of(BigInt(value), BigInt(value))));
    if (set !== 0) throw new Error(`the limit ${resource} could not be set`);
  };
  libc.prctl(PR_SET_PDEATHSIG, SIGKILL, 0n, 0n, 0n); // no upload outlives the server
  libc.prctl(PR_SET_NO_NEW_PRIVS, 1n, 0n, 0n, 0n);
  const rules = libc.syscall(LANDLOCK_CREATE_RULESET, ptr(BigUint64Array.of(ALL_OF_ABI_1)), 8n, 0n);
  limit(RESOURCES.addressSpace, addressSpaceBytes() + HEADROOM_BYTES);
  limit(RESOURCES.cpu, CPU_SECONDS);
  limit(RESOURCES.fileSize, 0);
  limit(RESOURCES.core, 0);
  limit(RESOURCES.openFiles, 0); // no new descriptor: no file and no socket, on any thread
  if (rules >= 0n) libc.syscall(LANDLOCK_RESTRICT_SELF, Number(rules) as never, 0n, 0n);
}

function addressSpaceBytes(): number {
  const kib = /VmSize:\s+(\d+)/.exec(readFileSync("/proc/self/status", "latin1"))?.[1];
  return Number(kib) * 1024;
}
