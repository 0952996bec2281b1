/**
 * A process that confines itself in the layers it is told, then tries what an attacker inside of it would: one line
 * `name: done` or `name: refused` for each attempt, and `executed` from the program that it becomes at last.
 *
 *   bun attempts.ts <layers, by comma> <pid of a victim> <port of a listener> <folder to write in>
 */
import { dlopen, FFIType, ptr } from "bun:ffi";
import { readFileSync, writeSync } from "node:fs";
import { confine, type Layer } from "../../../workers/sandbox/confine.ts";

const [layers = "", victim = "", port = "", folder = ""] = process.argv.slice(2);
const { i64: long } = FFIType;
const { symbols: libc } = dlopen("libc.so.6", {
  syscall: { args: [long, long, long, long, long, long, long], returns: long },
  posix_spawn: { args: Array(6).fill(FFIType.ptr) as FFIType.ptr[], returns: FFIType.i32 },
});
const arm = process.arch === "arm64";
const CALLS = {
  socket: arm ? 198n : 41n,
  connect: arm ? 203n : 42n,
  dup: arm ? 23n : 32n,
  openat: arm ? 56n : 257n,
  kill: arm ? 129n : 62n,
  ptrace: arm ? 117n : 101n,
  processVmReadv: arm ? 270n : 310n,
  processVmWritev: arm ? 271n : 311n,
  prlimit64: arm ? 261n : 302n,
  setresuid: arm ? 147n : 117n,
  prctl: arm ? 167n : 157n,
  mmap: arm ? 222n : 9n,
  execve: arm ? 221n : 59n,
};
const call = (name: keyof typeof CALLS, ...values: (bigint | NodeJS.TypedArray)[]): bigint => {
  const [a = 0n, b = 0n, c = 0n, d = 0n, e = 0n, f = 0n] = values.map((value) =>
    typeof value === "bigint" ? value : BigInt(ptr(value)),
  );
  return libc.syscall(CALLS[name], a, b, c, d, e, f);
};
const text = (value: string) => Buffer.from(`${value}\0`);

const pointers = (...words: Buffer[]) => BigUint64Array.from([...words.map((word) => BigInt(ptr(word))), 0n]);
/** The number of the error, or 0. */
function spawn(path: string): number {
  const word = text(path);
  return libc.posix_spawn(ptr(room), ptr(word), null, null, ptr(pointers(word)), ptr(pointers()));
}

const EPERM = 1;
const AF_INET = 2n;
const STREAM = 1n;
const AT_FDCWD = -100n;
const CREATE_AND_WRITE = 0o101n;
const PTRACE_SEIZE = 0x4206n;
const PR_GET_DUMPABLE = 3n;
const READABLE = 1n;
const PRIVATE_ANONYMOUS = 0x22n;
const GIB = 1024n ** 3n;

/** Where its memory lies; nothing of one that may not be traced. */
function mapsOf(pid: string): string {
  try {
    return readFileSync(`/proc/${pid}/maps`, "latin1");
  } catch {
    return "";
  }
}

const pid = BigInt(victim);
const [, start = "0"] = /^([0-9a-f]+)-[0-9a-f]+ rw/m.exec(mapsOf(victim)) ?? [];
const there = BigUint64Array.of(BigInt(`0x${start}`), 8n);
const room = new BigUint64Array(2);
const here = BigUint64Array.of(BigInt(ptr(room)), 8n);
const address = Buffer.from([2, 0, Number(port) >> 8, Number(port) & 255, 127, 0, 0, 1, ...Array(8).fill(0)]);
const open = call("socket", AF_INET, STREAM, 0n);

/** True where it worked. */
const ATTEMPTS: Record<string, () => boolean> = {
  "read a file": () => call("openat", AT_FDCWD, text("/etc/passwd"), 0n) >= 0n,
  "write a file": () =>
    call("openat", AT_FDCWD, text(`${folder}/w${process.pid}`), CREATE_AND_WRITE, 0o600n) >= 0n,
  "make a socket": () => call("socket", AF_INET, STREAM, 0n) >= 0n,
  "connect a socket": () => call("connect", open, address, 16n) === 0n,
  "make a descriptor": () => call("dup", 1n) >= 0n,
  "signal another": () => call("kill", pid, 0n) === 0n,
  "trace another": () => call("ptrace", PTRACE_SEIZE, pid, 0n, 0n) === 0n,
  "read another's memory": () => call("processVmReadv", pid, here, 1n, there, 1n, 0n) === 8n,
  "write another's memory": () => call("processVmWritev", pid, here, 1n, there, 1n, 0n) === 8n,
  "limit another": () => call("prlimit64", pid, 7n, 0n, room) === 0n,
  "become root": () => call("setresuid", 0n, 0n, 0n) === 0n,
  "be traced": () => call("prctl", PR_GET_DUMPABLE) === 1n,
  "take memory": () => call("mmap", 0n, 2n * GIB, READABLE, PRIVATE_ANONYMOUS, -1n, 0n) >= 0n,
  "fork a process": () => spawn("/bin/true") !== EPERM, // whatever becomes of the process
  "execute a program": () => {
    const words = [text("/bin/echo"), text("execute a program: done")];
    call("execve", words[0]!, pointers(...words), pointers());
    return false;
  },
};

const held = confine({ cpuSeconds: null, layers: layers.split(",").filter(Boolean) as Layer[] });
writeSync(1, `${JSON.stringify(held)}\n`);
for (const [name, attempt] of Object.entries(ATTEMPTS)) {
  writeSync(1, attempt() ? `${name}: done\n` : `${name}: refused\n`);
}
