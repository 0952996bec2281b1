/**
 * Landlock with rules that allow nothing: no files, no TCP ports, no signals to other processes, no abstract sockets of
 * other processes, as far as the kernel supports it. Descriptors that are open stay open.
 *
 *   ABI   1 files · 2 links · 3 truncating · 4 TCP · 5 devices · 6 signals and abstract sockets · 8 every thread at once
 */
import { ptr } from "bun:ffi";
import type { Libc } from "../../src/natives/libc.ts";

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

/** The active ABI, or null if the kernel lacks or disables Landlock. Needs "no new privileges". */
export function landlock(libc: Libc): number | null {
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
