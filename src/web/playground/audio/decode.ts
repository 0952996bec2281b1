/** The outline and the length of an audio file that the browser can decode. */
import { openPeakMeter } from "./peaks.ts";

/** The least that every browser decodes to: an outline needs no more, and a long file stays small. */
const OUTLINE_RATE = 8000;

export type Outline = { peaks: readonly number[]; durationSeconds: number };

/** Null where the browser cannot decode the file. */
export async function outlineOf(file: Blob): Promise<Outline | null> {
  try {
    const context = new OfflineAudioContext(1, 1, OUTLINE_RATE);
    const buffer = await context.decodeAudioData(await file.arrayBuffer());
    const meter = openPeakMeter(buffer.sampleRate);
    meter.push(buffer.getChannelData(0));
    return { peaks: meter.peaks, durationSeconds: buffer.duration };
  } catch {
    return null;
  }
}
