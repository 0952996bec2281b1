/**
 * The system calls that a confined process may use: those that compute, wait, and use open descriptors. The filter applies
 * to every thread and cannot be removed. All other calls fail with EPERM: files, sockets, processes, programs.
 *
 * The filter is a program of the kernel's packet language (BPF): load a word, compare, jump, answer.
 */
import { ptr } from "bun:ffi";
import type { Libc } from "../../src/natives/libc.ts";

/** By its number on x86_64 and on aarch64; null where it has none. */
type Call = readonly [x64: number | null, arm64: number | null];

const FREE: Record<string, Call> = {
  read: [0, 63],
  write: [1, 64],
  close: [3, 57],
  fstat: [5, 80],
  poll: [7, null],
  lseek: [8, 62],
  mmap: [9, 222],
  mprotect: [10, 226],
  munmap: [11, 215],
  brk: [12, 214],
  rt_sigaction: [13, 134],
  rt_sigprocmask: [14, 135],
  rt_sigreturn: [15, 139],
  pread64: [17, 67],
  readv: [19, 65],
  writev: [20, 66],
  sched_yield: [24, 124],
  mremap: [25, 216],
  madvise: [28, 233],
  nanosleep: [35, 101],
  getpid: [39, 172],
  sendto: [44, 206],
  recvfrom: [45, 207],
  sendmsg: [46, 211],
  recvmsg: [47, 212],
  shutdown: [48, 210],
  exit: [60, 93],
  uname: [63, 160],
  gettimeofday: [96, 169],
  getrusage: [98, 165],
  sysinfo: [99, 179],
  times: [100, 153],
  getuid: [102, 174],
  getgid: [104, 176],
  geteuid: [107, 175],
  getegid: [108, 177],
  rt_sigsuspend: [130, 133],
  sigaltstack: [131, 132],
  gettid: [186, 178],
  time: [201, null],
  futex: [202, 98],
  sched_getaffinity: [204, 123],
  set_tid_address: [218, 96],
  restart_syscall: [219, 128],
  clock_gettime: [228, 113],
  clock_getres: [229, 114],
  clock_nanosleep: [230, 115],
  exit_group: [231, 94],
  epoll_wait: [232, null],
  epoll_ctl: [233, 21],
  ppoll: [271, 73],
  set_robust_list: [273, 99],
  epoll_pwait: [281, 22],
  timerfd_settime: [286, 86],
  timerfd_gettime: [287, 87],
  eventfd2: [290, 19],
  getrandom: [318, 278],
  membarrier: [324, 283],
  rseq: [334, 293],
  epoll_pwait2: [441, 441],
};

const CLONE: Call = [56, 220];
const CLONE3: Call = [435, 435];
const THREAD = 0x1_0000;
/** Left where its arguments are among these: the first is the argument's place. */
const BOUND = (self: number): [Call, ...[place: number, values: number[]][]][] => [
  [
    [234, 131],
    [0, [self]],
  ], // tgkill: to threads of this process, as the garbage collector does
  [
    [157, 167],
    [0, [15, 0x53_56_4d_41]],
  ], // prctl: names of threads and of memory
  [
    [302, 261],
    [0, [0]],
    [2, [0]],
  ], // prlimit64: to read its own
  [
    [72, 25],
    [1, [1, 2, 3, 4]],
  ], // fcntl: flags; not whom to signal
];

const AUDIT_ARCH = { x64: 0xc000_003e, arm64: 0xc000_00b7 };
const X32 = 0x4000_0000; // calls of another table begin here
const LOAD = 0x20;
const IF_EQUAL = 0x15;
const IF_AT_LEAST = 0x35;
const IF_ANY_BIT = 0x45;
const ANSWER = 0x06;
const ALLOW = 0x7fff_0000;
const KILL_PROCESS = 0x8000_0000;
const refuseWith = (errno: number) => 0x5_0000 | errno;
const EPERM = 1;
const ENOSYS = 38;
const PLACES = { number: 0, architecture: 4, arguments: 16 };

/** @internal */
export type Instruction = [code: number, ifTrue: number, ifFalse: number, value: number];

const load = (place: number): Instruction => [LOAD, 0, 0, place];
const answer = (value: number): Instruction => [ANSWER, 0, 0, value];
/** Skips the following instructions if the word is not the value. */
const when = (value: number, then: Instruction[]): Instruction[] => [
  [IF_EQUAL, 0, then.length, value],
  ...then,
];

/** Arguments are 64 bits wide; one of more than 32 bits is not allowed. */
function amongWords(place: number, values: number[]): Instruction[] {
  const [low, high] = [PLACES.arguments + 8 * place, PLACES.arguments + 8 * place + 4];
  return [
    load(high),
    [IF_EQUAL, 1, 0, 0],
    answer(refuseWith(EPERM)),
    load(low),
    ...values.map((value, index): Instruction => [IF_EQUAL, values.length - index, 0, value]),
    answer(refuseWith(EPERM)),
  ];
}

/**
 * The filter of a process whose number is `self`.
 *
 * @internal
 */
export function program(arch: "x64" | "arm64", self: number): Instruction[] {
  const numberOf = ([x64, arm64]: Call) => (arch === "x64" ? x64 : arm64);
  const free = Object.values(FREE).map(numberOf);
  return [
    load(PLACES.architecture),
    [IF_EQUAL, 1, 0, AUDIT_ARCH[arch]],
    answer(KILL_PROCESS),
    load(PLACES.number),
    [IF_AT_LEAST, 0, 1, X32],
    answer(refuseWith(EPERM)),
    ...free.flatMap((number) => (number === null ? [] : when(number, [answer(ALLOW)]))),
    ...BOUND(self).flatMap(([call, ...bounds]) =>
      when(numberOf(call)!, [
        ...bounds.flatMap(([place, values]) => amongWords(place, values)),
        answer(ALLOW),
      ]),
    ),
    ...when(numberOf(CLONE)!, [
      load(PLACES.arguments),
      [IF_ANY_BIT, 0, 1, THREAD],
      answer(ALLOW),
      answer(refuseWith(EPERM)),
    ]),
    ...when(numberOf(CLONE3)!, [answer(refuseWith(ENOSYS))]), // no filter sees its flags; the library falls back to clone
    answer(refuseWith(EPERM)),
  ];
}

const SECCOMP: Record<string, bigint> = { x64: 317n, arm64: 277n };
const SET_MODE_FILTER = 1n;
const EVERY_THREAD = 1n;

/** The number of allowed system calls, or null if the kernel has no filters. Needs "no new privileges". */
export function seccomp(libc: Libc): number | null {
  const { arch, pid } = process;
  if (arch !== "x64" && arch !== "arm64") return null;
  const instructions = program(arch, pid);
  const bytes = new DataView(new ArrayBuffer(8 * instructions.length));
  for (const [index, [code, ifTrue, ifFalse, value]] of instructions.entries()) {
    bytes.setUint16(8 * index, code, true);
    bytes.setUint8(8 * index + 2, ifTrue);
    bytes.setUint8(8 * index + 3, ifFalse);
    bytes.setUint32(8 * index + 4, value, true);
  }
  const filter = BigUint64Array.of(BigInt(instructions.length), BigInt(ptr(bytes.buffer)));
  const held = libc.syscall(SECCOMP[arch]!, SET_MODE_FILTER, EVERY_THREAD, BigInt(ptr(filter)), 0n, 0n);
  return held === 0n ? Object.keys(FREE).length : null;
}
