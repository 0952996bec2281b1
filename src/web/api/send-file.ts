/** Sends a file to the project of a key, in parts, as large as files may be: one request takes less. */
import { type Client, jsonBody } from "./public-api.ts";

const PART_BYTES = 16 * 1024 * 1024;
/** Of a file that a job reads: longer than any job waits. */
const KEPT = { anchor: "created_at", seconds: 7 * 86_400 };
export const FILE_NAME_MAX = 255;

/** Returns its id. `onSent`: from 0 to 1, how much was sent. */
export async function sendFile(client: Client, file: File, onSent: (share: number) => void): Promise<string> {
  const about = { filename: file.name.slice(-FILE_NAME_MAX), bytes: file.size, purpose: "user_data" };
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
