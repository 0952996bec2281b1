/**
 * Uploads to samples. The format is found in the bytes, never in a name; the duration is counted, never read.
 *
 *   RIFF ──> our own reader, on a thread ──┐
 *   else ──> a child process, confined  ───┴──> mono samples at `ASR_SAMPLE_RATE`, or a refusal
 *
 * A child takes one upload and lives until its verdict, the caller's leaving, or the time limit. For the thread and for
 * the children organizations wait in turn, as they do for engines.
 */
import { constants, setPriority } from "node:os";
import { fileURLToPath } from "node:url";
import type { FileSink } from "bun";
import { toFloat } from "../audio/pcm.ts";
import { ASR_SAMPLE_RATE } from "../audio/rates.ts";
import type { Claim } from "./claim.ts";
import { DECODE_EXIT } from "./decode-exit.ts";
import type { Runner } from "./runner.ts";
import { openScheduler } from "./scheduler.ts";

/** Float32 at `ASR_SAMPLE_RATE`, mono; `durationSeconds` is what was counted. */
export type Decoded = { samples: Float32Array; durationSeconds: number };

type DecodeRefusal = { refusal: "invalid_audio" | "audio_too_long"; message: string };

export type Decoder = { decode(bytes: Uint8Array, claim: Claim): Promise<Decoded | DecodeRefusal> };

export type DecoderOptions = {
  maxSeconds: number;
  timeoutMs: number;
  /** How many children may decode at once; further uploads wait their turn. */
  childrenMax: number;
  /** Runs `workers/media/wav.ts`. */
  wavReader: Runner;
  /** The decoding process, and whether what it needs is installed. */
  script: URL;
  installed: boolean;
};

const WAITING_PER_CHILD = 8; // each may hold an upload of 25 MB
const WAITING_WAVS = 64;

export function openDecoder(options: DecoderOptions): Decoder {
  const { childrenMax } = options;
  const wavs = openScheduler(runnerOf(readWav, options), { size: 1, queueMax: WAITING_WAVS });
  const children = openScheduler(runnerOf(decodeInChild, options), {
    size: childrenMax,
    queueMax: WAITING_PER_CHILD * childrenMax,
    shareMax: Math.max(1, Math.floor((childrenMax - 1) / 2)), // of three or more, two organizations leave one
  });
  return {
    async decode(bytes, claim) {
      const upload: Upload = { bytes, signal: claim.signal };
      const turn: Claim = { ...claim, urgency: "batch" }; // nobody's streams go before everybody's files here
      claim.signal.throwIfAborted();
      if (bytes.length === 0) return invalid("The file is empty.");
      const own = isRiff(bytes) ? await wavs.run<Answer | null>(upload, turn) : null;
      if (own !== null) return own;
      if (!options.installed)
        return invalid("Only WAV files can be read here: the optional decoder is not installed.");
      return children.run<Answer>(upload, turn);
    },
  };
}

type Upload = { bytes: Uint8Array; signal: AbortSignal };
type Answer = Decoded | DecodeRefusal;

/** What a queue feeds: one upload whose turn has come. */
function runnerOf(
  read: (upload: Upload, options: DecoderOptions) => Promise<Answer | null>,
  options: DecoderOptions,
): Runner {
  return {
    run: <T>(upload: object) => read(upload as Upload, options) as Promise<T>,
    async [Symbol.asyncDispose]() {},
  };
}

async function readWav({ bytes }: Upload, { wavReader, maxSeconds }: DecoderOptions) {
  const copy = new Uint8Array(bytes); // the child may still need the original; a Buffer's slice() would share it
  const samples = await wavReader.run<Float32Array | string | null>({ bytes: copy, maxSeconds }, [
    copy.buffer,
  ]);
  if (samples === null) return null;
  return typeof samples === "string" ? tooLong(maxSeconds) : counted(samples);
}

async function decodeInChild({ bytes, signal }: Upload, options: DecoderOptions) {
  signal.throwIfAborted(); // an abort before this line would never be heard
  const args = [options.maxSeconds, bytes.length].map(String);
  const child = Bun.spawn([process.execPath, fileURLToPath(options.script), ...args], {
    stdin: "pipe", // bytes given here would stay in memory until the garbage collector comes
    stdout: "pipe",
    stderr: "ignore",
    env: {},
    cwd: "/",
    timeout: options.timeoutMs,
    killSignal: "SIGKILL",
  });
  yieldProcessor(child.pid);
  void feed(child.stdin, bytes);
  const kill = () => child.kill("SIGKILL");
  signal.addEventListener("abort", kill);
  try {
    const samples = await readSamples(child.stdout, options.maxSeconds * ASR_SAMPLE_RATE);
    if (samples === null) return invalid("The file could not be decoded.");
    const verdict = await child.exited;
    signal.throwIfAborted();
    return outcomeOf(verdict, samples, options.maxSeconds);
  } finally {
    signal.removeEventListener("abort", kill);
    kill();
    await child.exited; // its turn ends with it, so that no more than `childrenMax` ever live
  }
}

/** To the server, which has callers that hear every delay. */
function yieldProcessor(pid: number): void {
  try {
    setPriority(pid, constants.priority.PRIORITY_BELOW_NORMAL);
  } catch {
    // it ended already
  }
}

const PIECE_BYTES = 256 * 1024;

async function feed(stdin: FileSink, bytes: Uint8Array): Promise<void> {
  try {
    for (let at = 0; at < bytes.length; at += PIECE_BYTES) {
      await stdin.write(bytes.subarray(at, at + PIECE_BYTES));
      await stdin.flush(); // or it would keep a copy of all of them
    }
    await stdin.end();
  } catch {
    // it ended before it had read it all: its verdict says why
  }
}

/**
 * s16le, converted as it comes so that ten minutes never hold up the server at their end; null from a child that wrote
 * more than the longest recording, for then it is not ours any more.
 */
async function readSamples(
  stdout: ReadableStream<Uint8Array>,
  countMax: number,
): Promise<Float32Array | null> {
  const room = new Float32Array(countMax); // costs nothing until it is written to
  let count = 0;
  let odd: Uint8Array = new Uint8Array(0); // half a sample, if a chunk ended inside one
  for await (const chunk of stdout) {
    const bytes = odd.length > 0 ? Buffer.concat([odd, chunk]) : chunk;
    const pcm = new Uint8Array(bytes.subarray(0, bytes.length & ~1)); // a copy, for it must be aligned
    if (count + pcm.length / 2 > countMax) return null;
    room.set(toFloat(new Int16Array(pcm.buffer)), count);
    count += pcm.length / 2;
    odd = bytes.subarray(pcm.length);
  }
  return new Float32Array(room.buffer.transfer(count * 4));
}

function outcomeOf(verdict: number, samples: Float32Array, maxSeconds: number): Decoded | DecodeRefusal {
  switch (verdict) {
    case DECODE_EXIT.decoded:
      return counted(samples);
    case DECODE_EXIT.tooLong:
      return tooLong(maxSeconds);
    case DECODE_EXIT.noAudio:
      return invalid("The file has no audio stream.");
    case DECODE_EXIT.empty:
      return invalid("The file holds no sound.");
    case DECODE_EXIT.unreadable:
      return invalid("The file is not audio in a format we read, or it is damaged.");
    default:
      return invalid("The file could not be decoded.");
  }
}

function counted(samples: Float32Array): Decoded | DecodeRefusal {
  if (samples.length === 0) return invalid("The file holds no sound.");
  return { samples, durationSeconds: samples.length / ASR_SAMPLE_RATE };
}

const invalid = (message: string): DecodeRefusal => ({ refusal: "invalid_audio", message });

const tooLong = (maxSeconds: number): DecodeRefusal => ({
  refusal: "audio_too_long",
  message: `The recording is longer than ${maxSeconds} seconds.`,
});

const isRiff = (bytes: Uint8Array) =>
  /^(RIFF|RF64)....WAVE/s.test(Buffer.from(bytes.subarray(0, 12)).toString("latin1"));
