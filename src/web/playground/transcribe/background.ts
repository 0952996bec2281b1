/** Makes a job of a recording, which may be larger and longer than one request takes: large ones are sent in parts first. */
import { FILE_BYTES_MAX } from "../../../metered/request-limits.ts";
import { type Client, jsonBody } from "../../api/public-api.ts";
import type { TranscriptionRequest } from "../../api/snippets.ts";
import { formOf } from "./transcription.ts";

const PART_BYTES = 16 * 1024 * 1024;
/** Of a recording that was sent in parts: longer than any job waits. */
const KEPT = { anchor: "created_at", seconds: 7 * 86_400 };
const NAME_MAX = 255;

type Making = {
  request: TranscriptionRequest;
  file: File;
  /** From 0 to 1: how much was sent of what is sent in parts. */
  onSent: (share: number) => void;
};

/** The id of the job. */
export async function makeJob(client: Client, { request, file, onSent }: Making): Promise<string> {
  const form = formOf(request, file);
  form.set("background", "true");
  form.set("metadata[recording]", file.name.slice(-NAME_MAX));
  if (file.size > FILE_BYTES_MAX) {
    form.set("file_id", await sent(client, file, onSent));
    form.delete("file");
  }
  const { id } = await ask(client, "/audio/transcriptions", { method: "POST", body: form });
  return id;
}

/** The id of the file. */
async function sent(client: Client, file: File, onSent: Making["onSent"]): Promise<string> {
  const about = { filename: file.name.slice(-NAME_MAX), bytes: file.size, purpose: "user_data" };
  const mime_type = file.type || "application/octet-stream";
  const upload = await ask(client, "/uploads", jsonBody({ ...about, mime_type, expires_after: KEPT }));
  const part_ids: string[] = [];
  for (let from = 0; from < file.size; from += PART_BYTES) {
    const body = new FormData();
    body.set("data", file.slice(from, from + PART_BYTES));
    part_ids.push((await ask(client, `/uploads/${upload.id}/parts`, { method: "POST", body })).id);
    onSent(Math.min(1, (from + PART_BYTES) / file.size));
  }
  const done = await ask(client, `/uploads/${upload.id}/complete`, jsonBody({ part_ids }));
  return done.file!.id;
}

type Made = { id: string; file?: { id: string } };

const ask = async (client: Client, path: string, init: RequestInit): Promise<Made> =>
  (await client(path, init)).json();
