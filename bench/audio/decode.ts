/**
 * Ten minutes of mp3 from upload to samples: our confined child, start included, against the system's own ffmpeg on
 * the same file. Runs alternate, so that a busy machine slows both; medians are compared.
 */

import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { openEncoder } from "../../src/audio/encode.ts";
import { installedFamilies } from "../../src/engine/families/installed.ts";
import { WITH_FFMPEG } from "../../src/engine/media/decode-program.ts";
import type { WavWork } from "../../src/engine/media/media-decoder.ts";
import { type Decoder, openDecoder } from "../../src/engine/media/media-decoder.ts";
import { soleClaim } from "../../src/engine/runner.ts";
import { openThreadPool } from "../../src/engine/threads/thread-pool.ts";
import { median, type Row, timed } from "../harness/row.ts";

const SECONDS = 600;
const RATE = 24_000;
const RUNS = 7;

export async function benchDecode(): Promise<Row[]> {
  if (!installedFamilies().has("decode"))
    return [{ name: "decode: node-av is not installed", value: 0, unit: "runs" }];
  const wavReader = openThreadPool<WavWork>(new URL("../../workers/media/wav.ts", import.meta.url), {
    size: 1,
  });
  const limits = { maxSeconds: SECONDS + 1, timeoutMs: 60_000, childrenMax: 1 };
  const folder = mkdtempSync(join(tmpdir(), "loquat-bench-"));
  try {
    const decoder = openDecoder({ ...limits, wavReader, program: WITH_FFMPEG });
    return [...(await benchStart(decoder)), ...(await benchLong(decoder, join(folder, "long.mp3")))];
  } finally {
    rmSync(folder, { recursive: true });
    await wavReader[Symbol.asyncDispose]();
  }
}

async function benchStart(decoder: Decoder): Promise<Row[]> {
  const short = await encode(1);
  const ours = await repeat(() => decode(decoder, short));
  return [{ name: "decode 1 s of mp3, child included", value: median(ours), unit: "ms" }];
}

async function benchLong(decoder: Decoder, file: string): Promise<Row[]> {
  const mp3 = await encode(SECONDS);
  writeFileSync(file, mp3);
  const peer = Bun.which("ffmpeg");
  const ours: number[] = [];
  const theirs: number[] = [];
  for (let run = 0; run < RUNS; run++) {
    ours.push(await timed(() => decode(decoder, mp3)));
    if (peer) theirs.push(await timed(() => decodeWith(peer, file)));
  }
  const row = { name: `decode ${SECONDS} s of mp3`, value: median(ours), unit: "ms" };
  if (!peer)
    return [row, { name: "decode: ffmpeg is not installed to compare with", value: 0, unit: "runs" }];
  return [
    row,
    { name: `the same by ffmpeg`, value: median(theirs), unit: "ms" },
    {
      name: "decode, ratio to ffmpeg",
      value: median(ours) / median(theirs),
      unit: "x",
      target: "at most 1.3",
    },
  ];
}

/** A gliding tone with a beat, so that no frame is like another. */
async function encode(seconds: number): Promise<Uint8Array> {
  const encoder = await openEncoder("mp3", { sampleRate: RATE, sampleCount: seconds * RATE });
  const samples = Float32Array.from(
    { length: seconds * RATE },
    (_, i) => 0.4 * Math.sin(i / (8 + 4 * Math.sin(i / 50_000))) * Math.sin(i / 3000),
  );
  return Buffer.concat([encoder.encode(samples), encoder.finish().tail]);
}

async function decode(decoder: Decoder, bytes: Uint8Array): Promise<void> {
  const answer = await decoder.decode(bytes, soleClaim());
  if ("refusal" in answer) throw new Error(answer.message);
}

async function decodeWith(ffmpeg: string, file: string): Promise<void> {
  const options = ["-v", "error", "-i", file, "-ac", "1", "-ar", "16000", "-f", "s16le", "-"];
  const child = Bun.spawn([ffmpeg, ...options], { stdin: "ignore", stderr: "ignore" });
  const bytes = await new Response(child.stdout).arrayBuffer();
  if (bytes.byteLength < SECONDS * 32_000) throw new Error("ffmpeg lost some of it");
}

async function repeat(work: () => Promise<void>): Promise<number[]> {
  const times: number[] = [];
  for (let run = 0; run < RUNS; run++) times.push(await timed(work));
  return times;
}
