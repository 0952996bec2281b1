/**
 * Sends a recording to a server as a job: with the request where it is small enough, else as a file in parts, which is deleted
 * with its job or a day later.
 */
import { statSync } from "node:fs";
import { basename } from "node:path";
import { FILE_BYTES_MAX } from "../../metered/request-limits.ts";
import { retried, type ServerClient } from "../base/server-client.ts";
import { openStatusLine } from "../base/status-line.ts";
import type { Job } from "./followed-job.ts";

/** `path`: of a file, or an address that the server reads. */
export type SentRecording = { name: string; path: string };

/** Of the form, in order; lists end in []. */
export type JobFields = readonly (readonly [name: string, value: string])[];

export const isAddress = (path: string): boolean => /^https?:\/\//i.test(path);

export async function sendAsJob(
  client: ServerClient,
  { name, path }: SentRecording,
  fields: JobFields,
): Promise<Job> {
  const form = new FormData();
  for (const [field, value] of [...fields, ["background", "true"] as const]) form.append(field, value);
  if (isAddress(path)) {
    form.set("url", path);
    return client.json<Job>(JOBS_PATH, { method: "POST", body: form });
  }
  if (statSync(path).size <= FILE_BYTES_MAX) {
    form.set("file", Bun.file(path), basename(name));
    return client.json<Job>(JOBS_PATH, { method: "POST", body: form, timeoutMs: SENDING_MS });
  }
  const fileId = await sendFile(client, { name, path });
  form.set("file_id", fileId);
  try {
    return await client.json<Job>(JOBS_PATH, { method: "POST", body: form });
  } catch (error) {
    await deleteFile(client, fileId);
    throw error;
  }
}

const JOBS_PATH = "/v1/audio/transcriptions";

/** Small enough for slow lines, and for proxies. */
const PART_BYTES = 16 * 1024 * 1024;
const SENDING_MS = 600_000;
/** Of one whose job was not made, or ended while its sender was gone. A file that a job reads stays. */
const KEPT = { anchor: "created_at", seconds: 86_400 };

/** Returns the id of the file. */
export async function sendFile(client: ServerClient, { name, path }: SentRecording): Promise<string> {
  const file = Bun.file(path);
  using status = openStatusLine();
  const upload = await client.json<{ id: string }>("/v1/uploads", {
    method: "POST",
    body: {
      ...{ filename: basename(name), bytes: file.size, mime_type: "application/octet-stream" },
      ...{ purpose: "user_data", expires_after: KEPT },
    },
  });
  const partIds: string[] = [];
  for (let from = 0; from < file.size; from += PART_BYTES) {
    status.show(`${name}: ${Math.floor((100 * from) / file.size)} % sent`);
    const bytes = await file.slice(from, from + PART_BYTES).bytes();
    const part = await retried(() => {
      const body = new FormData();
      body.set("data", new Blob([bytes]));
      const path = `/v1/uploads/${upload.id}/parts`;
      return client.json<{ id: string }>(path, { method: "POST", body, timeoutMs: SENDING_MS });
    });
    partIds.push(part.id);
  }
  const completed = await client.json<{ file: { id: string } }>(`/v1/uploads/${upload.id}/complete`, {
    ...{ method: "POST", body: { part_ids: partIds } },
  });
  return completed.file.id;
}

/** Where it cannot be, it is deleted a day later. */
export async function deleteFile(client: ServerClient, id: string): Promise<void> {
  await client.text(`/v1/files/${id}`, { method: "DELETE" }).catch(() => {});
}
