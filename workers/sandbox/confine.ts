/**
 * Confines this process before it reads a byte of an upload or a text. There are several layers, because each may be
 * unavailable: on macOS, on an old kernel, in a container that forbids it.
 *
 *   user       a process started as root becomes a user and a group that own nothing
 *   untraced   no other process of the user reads or writes its memory
 *   landlock   no files, no TCP, no signals to other processes
 *   limits     memory, CPU time, no new descriptors, no written files, no core dump
 *   seccomp    only the system calls that compute and use what is open
 *
 * Files that are still needed must be read before. `seccomp` and `limits` apply to every thread; `landlock` (before ABI 8)
 * only to the calling thread, so the other layers are needed as well.
 */
import { ptr } from "bun:ffi";
import { readFileSync } from "node:fs";
import { forbidTracing, type Libc, openLibc } from "../../src/natives/libc.ts";
import { seccomp } from "./seccomp.ts";

const MIB = 1024 * 1024;
const HEADROOM_BYTES = 800 * MIB; // what the work may add to the current size
const RESOURCES = { cpu: 0, fileSize: 1, data: 2, core: 4, openFiles: 7, addressSpace: 9 };
const PR_SET_PDEATHSIG = 1;
const SIGKILL = 9n;
const PR_SET_NO_NEW_PRIVS = 38;
/** Beyond the ids that systems assign; within it, where the ids of a container end at 65,536. */
const IDS = [0x7000_0000 + process.pid, 64_000 + (process.pid % 1000)];
/** To become another user, and for the server to end one that is another's. */
const CAPABILITIES = { kill: 5n, setgid: 6n, setuid: 7n };

/** @internal */
export const LAYERS = ["user", "untraced", "landlock", "limits", "seccomp"] as const;
/** @internal */
export type Layer = (typeof LAYERS)[number];
/** A description of each active layer; null for an inactive one. */
export type Confinement = Partial<Record<Layer, string | null>>;

/** `cpuSeconds` null: for a long-lived process, whose tasks are timed from outside. */
export type Confined = { cpuSeconds: number | null; layers?: readonly Layer[] };

export function confine({ cpuSeconds, layers = LAYERS }: Confined): Confinement {
  const libc = openLibc();
  if (libc === null) return Object.fromEntries(layers.map((layer) => [layer, null]));
  const status = readFileSync("/proc/self/status", "latin1"); // cannot be read later
  const steps: Record<Layer, () => string | null> = {
    user: () => becomeNobody(libc, status),
    untraced: () => (forbidTracing(libc) ? "no other process of its user reads its memory" : null),
    landlock: () => named(landlock(libc), (abi) => `ABI ${abi}`),
    limits: () => limit(libc, status, cpuSeconds),
    seccomp: () => named(seccomp(libc), (count) => `${count} system calls`),
  };
  const confinement: Confinement = {};
  for (const layer of LAYERS) {
    if (layers.includes(layer)) confinement[layer] = steps[layer]();
    if (layer !== "user") continue;
    libc.prctl(PR_SET_PDEATHSIG, SIGKILL, 0n, 0n, 0n); // nothing outlives the server; another user would forget it
    libc.prctl(PR_SET_NO_NEW_PRIVS, 1n, 0n, 0n, 0n);
  }
  return confinement;
}

const named = (value: number | null, say: (value: number) => string) => (value === null ? null : say(value));

/** Only where it may, and where the server may still end what is another's. */
function becomeNobody(libc: Libc, status: string): string | null {
  const held = BigInt(`0x${/CapEff:\s+(\w+)/.exec(status)?.[1] ?? "0"}`);
  if (Object.values(CAPABILITIES).some((bit) => ((held >> bit) & 1n) === 0n)) return null;
  if (libc.setgroups(0n, null) !== 0) return null;
  const id = IDS.find((id) => libc.setresgid(id, id, id) === 0 && libc.setresuid(id, id, id) === 0);
  return id === undefined ? null : `${id}, which owns nothing`;
}

/** Of those that are more than nothing a stricter one may stand already: then it stays. */
function limit(libc: Libc, status: string, cpuSeconds: number | null): string | null {
  const set = (resource: number, value: number) =>
    libc.setrlimit(resource, ptr(BigUint64Array.of(BigInt(value), BigInt(value)))) === 0;
  set(RESOURCES.addressSpace, bytesOf(/VmSize:\s+(\d+)/.exec(status)) + HEADROOM_BYTES);
  set(RESOURCES.data, bytesOf(/VmData:\s+(\d+)/.exec(status)) + HEADROOM_BYTES);
  if (cpuSeconds !== null) set(RESOURCES.cpu, cpuSeconds);
  const { fileSize, core, openFiles } = RESOURCES; // no new descriptor: no file and no socket, on any thread
  if (![fileSize, core, openFiles].every((resource) => set(resource, 0))) return null;
  return `${HEADROOM_BYTES / MIB} MiB more memory, no new descriptor`;
}

const bytesOf = (kib: RegExpExecArray | null) => 1024 * Number(kib?.[1]);

const CREATE_RULESET = 444n;
const RESTRICT_SELF = 446n;
const ASK_VERSION = 1n;
const ASK_ERRATA = 2n;
const EVERY_THREAD = 8n;

const FILES = [0x1fffn, 0x1fffn, 0x3fffn, 0x7fffn, 0x7fffn, 0xffffn]; // by ABI; the last holds for all that follow
const TCP = 3n; // to bind, to connect
const ABSTRACT_SOCKETS = 1n;
const SIGNALS = 2n;
const SIGNALS_MENDED = 2n; // an erratum: before it, threads of one process could not signal each other

/**
 * Landlock with rules that allow nothing: no files, no TCP ports, no signals to other processes, no abstract sockets of
 * other processes, as far as the kernel supports it. Descriptors that are open stay open.
 *
 *   ABI   1 files · 2 links · 3 truncating · 4 TCP · 5 devices · 6 signals and abstract sockets · 8 every thread at once
 *
 * Returns the active ABI, or null if the kernel lacks or disables Landlock. Needs "no new privileges".
 */
function landlock(libc: Libc): number | null {
  const abi = Number(libc.syscall(CREATE_RULESET, 0n, 0n, ASK_VERSION, 0n, 0n));
  if (abi < 1) return null;
  const errata = libc.syscall(CREATE_RULESET, 0n, 0n, ASK_ERRATA, 0n, 0n);
  const mended = errata > 0n && (errata & SIGNALS_MENDED) !== 0n;
  const rules = BigUint64Array.from([
    FILES[Math.min(abi, FILES.length - 1)]!,
    ...(abi >= 4 ? [TCP] : []),
    ...(abi >= 6 ? [ABSTRACT_SOCKETS | (mended ? SIGNALS : 0n)] : []),
  ]);
  const ruleset = libc.syscall(CREATE_RULESET, BigInt(ptr(rules)), BigInt(rules.byteLength), 0n, 0n, 0n);
  if (ruleset < 0n) return null;
  const held = libc.syscall(RESTRICT_SELF, ruleset, abi >= 8 ? EVERY_THREAD : 0n, 0n, 0n, 0n);
  return held === 0n ? abi : null;
}
