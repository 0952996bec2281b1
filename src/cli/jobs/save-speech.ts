/** What a job of a server has spoken as files: its sound, or that of one chapter, and its subtitles. */
import { extname } from "node:path";
import { byteText } from "../../byte-text.ts";
import { openFileDestination } from "../base/destination.ts";
import { note, UsageError } from "../base/output.ts";
import type { ServerClient } from "../base/server-client.ts";
import { openStatusLine } from "../base/status-line.ts";
import { type Job, jobPath } from "./followed-job.ts";

/** `chapter`: from 1; absent: all of it. */
export type Part = { chapter?: number | undefined };

type Asked = Part & { format?: SubtitleFormat };

function contentPath(id: string, { chapter, format }: Asked): string {
  const query = new URLSearchParams({ ...(chapter && { chapter: `${chapter}` }), ...(format && { format }) });
  return `${jobPath(id)}/content?${query}`;
}

/** `output`: a file, or `-` for standard output. Nothing is written before the server has something to send. */
export async function saveSound(
  client: ServerClient,
  { id }: Pick<Job, "id">,
  { output, chapter }: Part & { output: string },
): Promise<void> {
  if (output === "-" && process.stdout.isTTY)
    throw new UsageError("Audio is not written to a terminal. Redirect it, or give -o FILE.");
  const chunks = client.bytes(contentPath(id, { chapter }));
  const first = await chunks.next();
  const file = output === "-" ? null : await openFileDestination(output);
  using status = openStatusLine();
  let bytes = 0;
  for (let step = first; !step.done; step = await chunks.next()) {
    if (file === null) await Bun.write(Bun.stdout, step.value);
    else await file.append(step.value);
    bytes += step.value.length;
    status.show(`${output}: ${byteText(bytes)}`);
  }
  await file?.finish();
  if (file !== null) note(`${output}: ${byteText(bytes)}`);
}

const SUBTITLE_FORMATS = ["vtt", "srt"] as const;
type SubtitleFormat = (typeof SUBTITLE_FORMATS)[number];

export function subtitlesOf(
  client: ServerClient,
  { id }: Pick<Job, "id">,
  { format, chapter }: Part & { format: SubtitleFormat },
): Promise<string> {
  return client.text(contentPath(id, { format, chapter }));
}

/** By the extension of a file for them. */
export const subtitleFormatOf = (path: string): SubtitleFormat =>
  asSubtitles(
    extname(path).slice(1).toLowerCase(),
    `Subtitles of a job are written to a .vtt or .srt file, not to ${path}.`,
  );

export function asSubtitles(format: string, otherwise: string): SubtitleFormat {
  const found = SUBTITLE_FORMATS.find((each) => each === format);
  if (found) return found;
  throw new UsageError(otherwise);
}
