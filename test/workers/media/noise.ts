/** Noise at 24 kHz in a format, whose frames have many bytes. */
import { openEncoder } from "../../../src/audio/encode.ts";

export async function noise(format: "wav" | "flac" | "mp3" | "opus", seconds: number): Promise<Buffer> {
  const sampleCount = seconds * 24_000;
  const encoder = await openEncoder(format, { sampleRate: 24_000, sampleCount });
  const samples = Float32Array.from(
    { length: sampleCount },
    (_, i) => ((Math.imul(i, 2_654_435_761) >> 16) % 9000) / 32_768,
  );
  return Buffer.concat([encoder.encode(samples).slice(), encoder.finish().tail]);
}
