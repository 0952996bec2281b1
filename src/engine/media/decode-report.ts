/**
 * What a decoding process reports beside its samples and its exit code: one line of JSON on its standard error. The process
 * has read a hostile file, so nothing of it is believed but plain names and numbers.
 */

/** Times are seconds from the beginning of the recording. */
export type DecodeReport = {
  /** What a refused recording is, such as "Musepack". */
  found?: string;
  /** How long the file says that the recording is; 0: unknown. */
  declaredSeconds?: number;
  /** Where reading ended before the end of the file. */
  brokenAtSeconds?: number;
  /** How much could not be decoded, and is silence or left out. */
  lostSeconds?: number;
  /** By how much its times jump forward: perhaps what is missing, perhaps another recording. */
  skippedSeconds?: number;
  /** Behind the recording, and no part of it: perhaps another one of another kind. */
  unreadBytes?: number;
};

/** What the reader of WAV files answers. `samples` null: there are more than may be. */
export type WavAnswer = { samples: Float32Array | null; report: DecodeReport };

const NAME = /^[\w .,:()+/'-]{1,80}$/;
const NUMBERS = [
  "declaredSeconds",
  "brokenAtSeconds",
  "lostSeconds",
  "skippedSeconds",
  "unreadBytes",
] as const;

/** Longer ones are not read. */
export const REPORT_BYTES_MAX = 2048;

export function parseReport(text: string): DecodeReport {
  let parsed: Record<string, unknown> | null = null;
  try {
    parsed = JSON.parse(text);
  } catch {
    // a process that crashed writes other things
  }
  if (typeof parsed !== "object" || parsed === null) return {};
  const report: DecodeReport = {};
  if (typeof parsed.found === "string" && NAME.test(parsed.found)) report.found = parsed.found;
  for (const name of NUMBERS) {
    const value = parsed[name];
    if (typeof value === "number" && Number.isFinite(value) && value >= 0) report[name] = value;
  }
  return report;
}

const LOST_SECONDS_MIN = 0.2; // less is lost where MP3 recordings are joined
const SHORT_SECONDS_MIN = 0.1; // less may be the delay of an encoder
const SHORT_PART = 0.02;
const NOTHING_PART = 0.05;
const NOTHING_SECONDS = 1;

/** Whether so little was read of what the file says it holds that it is no result. */
export function isAlmostNothing(
  { declaredSeconds = 0, brokenAtSeconds }: DecodeReport,
  seconds: number,
): boolean {
  if (declaredSeconds > 0) return seconds < declaredSeconds * NOTHING_PART;
  return brokenAtSeconds !== undefined && seconds < NOTHING_SECONDS;
}

/** What is missing in a recording of so many seconds, as sentences for who sent it. */
export function warningsOf(report: DecodeReport, seconds: number): string[] {
  const {
    declaredSeconds = 0,
    brokenAtSeconds,
    lostSeconds = 0,
    skippedSeconds = 0,
    unreadBytes = 0,
  } = report;
  const warnings: string[] = [];
  const isShort = declaredSeconds - seconds > Math.max(SHORT_SECONDS_MIN, declaredSeconds * SHORT_PART);
  if (brokenAtSeconds !== undefined)
    warnings.push(`The file is damaged: nothing behind ${brokenAtSeconds.toFixed(1)} seconds could be read.`);
  else if (isShort)
    warnings.push(
      `The file ends early: it says that it is ${declaredSeconds.toFixed(1)} seconds long, and ${seconds.toFixed(1)} seconds are there.`,
    );
  else if (unreadBytes > 0)
    warnings.push(
      `The last ${unreadBytes} bytes of the file were not read: they are damaged, or another recording of another kind.`,
    );
  if (lostSeconds >= LOST_SECONDS_MIN)
    warnings.push(`The file is damaged: ${lostSeconds.toFixed(1)} seconds of it could not be decoded.`);
  if (skippedSeconds > 0)
    warnings.push(
      `The times in the file jump forward by ${skippedSeconds.toFixed(1)} seconds, which are left out.`,
    );
  return warnings;
}
