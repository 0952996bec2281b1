/** Promise: on both architectures, the filter allows system calls for computing and waiting, and no others. */
import { describe, expect, test } from "bun:test";
import { type Instruction, program } from "../../../workers/sandbox/seccomp.ts";

const SELF = 4711;
const ALLOWED = "allowed";
const ANSWERS = new Map([
  [0x7fff_0000, ALLOWED],
  [0x5_0001, "EPERM"],
  [0x5_0026, "ENOSYS"],
  [0x8000_0000, "killed"],
]);
const ARCHITECTURES = { x64: 0xc000_003e, arm64: 0xc000_00b7 };
type Architecture = keyof typeof ARCHITECTURES;

/** What the kernel would do: the filter's machine, on the words of one call. */
function verdictOf(filter: Instruction[], words: ReadonlyMap<number, number>): string {
  let word = 0;
  for (let at = 0; at < filter.length; at++) {
    const [code, ifTrue, ifFalse, value] = filter[at]!;
    if (code === 0x20) word = words.get(value) ?? 0;
    else if (code === 0x06) return ANSWERS.get(value)!;
    else {
      const holds =
        code === 0x15
          ? word === value
          : code === 0x35
            ? word >= value
            : code === 0x45 && (word & value) !== 0;
      at += holds ? ifTrue : ifFalse;
    }
  }
  throw new Error("the filter ended without an answer");
}

/** Arguments: numbers, or halves of one that is wider. */
type Call = { number: number; args?: (number | [low: number, high: number])[]; architecture?: number };

function answerOf(
  arch: Architecture,
  { number, args = [], architecture = ARCHITECTURES[arch] }: Call,
): string {
  const words = new Map([
    [0, number],
    [4, architecture],
  ]);
  for (const [at, value] of args.entries()) {
    const [low, high] = typeof value === "number" ? [value, 0] : value;
    words.set(16 + 8 * at, low).set(20 + 8 * at, high);
  }
  return verdictOf(program(arch, SELF), words);
}

/** Numbers by architecture, from the kernel's tables. */
const NEEDED: Record<string, Record<Architecture, number>> = {
  read: { x64: 0, arm64: 63 },
  write: { x64: 1, arm64: 64 },
  mmap: { x64: 9, arm64: 222 },
  munmap: { x64: 11, arm64: 215 },
  futex: { x64: 202, arm64: 98 },
  epoll_pwait: { x64: 281, arm64: 22 },
  clock_gettime: { x64: 228, arm64: 113 },
  exit_group: { x64: 231, arm64: 94 },
};
const REACHING: Record<string, Record<Architecture, number>> = {
  openat: { x64: 257, arm64: 56 },
  socket: { x64: 41, arm64: 198 },
  connect: { x64: 42, arm64: 203 },
  bind: { x64: 49, arm64: 200 },
  ptrace: { x64: 101, arm64: 117 },
  process_vm_readv: { x64: 310, arm64: 270 },
  process_vm_writev: { x64: 311, arm64: 271 },
  pidfd_getfd: { x64: 438, arm64: 438 },
  execve: { x64: 59, arm64: 221 },
  execveat: { x64: 322, arm64: 281 },
  kill: { x64: 62, arm64: 129 },
  setresuid: { x64: 117, arm64: 147 },
  unshare: { x64: 272, arm64: 97 },
  mount: { x64: 165, arm64: 40 },
  bpf: { x64: 321, arm64: 280 },
  io_uring_setup: { x64: 425, arm64: 425 },
  userfaultfd: { x64: 323, arm64: 282 },
  memfd_create: { x64: 319, arm64: 279 },
  ioctl: { x64: 16, arm64: 29 },
};

describe.each(["x64", "arm64"] as const)("the seccomp filter on %s", (arch) => {
  test.each(Object.entries(NEEDED))("allows %s", (_name, number) => {
    expect(answerOf(arch, { number: number[arch] })).toBe(ALLOWED);
  });

  test.each(Object.entries(REACHING))("refuses %s", (_name, number) => {
    expect(answerOf(arch, { number: number[arch], args: [0, 0, 0, 0] })).toBe("EPERM");
  });

  test("allows signals to threads of the process only", () => {
    const number = arch === "x64" ? 234 : 131;
    const to = (pid: number | [number, number]) => answerOf(arch, { number, args: [pid, 1, 9] });
    expect([to(SELF), to(SELF + 1), to([SELF, 1])]).toEqual([ALLOWED, "EPERM", "EPERM"]);
  });

  test("allows reading limits of the process, and no change", () => {
    const number = arch === "x64" ? 302 : 261;
    const limits = (pid: number, next: number | [number, number]) =>
      answerOf(arch, { number, args: [pid, 7, next, 5] });
    expect([limits(0, 0), limits(1, 0), limits(0, 8), limits(0, [0, 8])]).toEqual([
      ALLOWED,
      "EPERM",
      "EPERM",
      "EPERM",
    ]);
  });

  test("allows threads, and no processes", () => {
    const number = arch === "x64" ? 56 : 220;
    expect(answerOf(arch, { number, args: [0x3d_0f00] })).toBe(ALLOWED);
    expect(answerOf(arch, { number, args: [0x1200011] })).toBe("EPERM");
    expect(answerOf(arch, { number: 435 })).toBe("ENOSYS");
  });

  test("allows descriptor flags, and no change of their owner", () => {
    const number = arch === "x64" ? 72 : 25;
    const command = (value: number) => answerOf(arch, { number, args: [3, value, 1] });
    expect([1, 2, 3, 4, 0, 8, 10].map(command)).toEqual([
      ...Array(4).fill(ALLOWED),
      ...Array(3).fill("EPERM"),
    ]);
  });

  test("refuses system calls of another architecture's table", () => {
    expect(answerOf(arch, { number: NEEDED.read![arch], architecture: 0x4000_0003 })).toBe("killed");
    expect(answerOf(arch, { number: 0x4000_0000 })).toBe("EPERM");
  });
});
