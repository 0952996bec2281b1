/** Makes a job of a recording, which may be larger and longer than one request takes: large ones are sent in parts first. */
import { FILE_BYTES_MAX } from "../../../metered/request-limits.ts";
import type { Client } from "../../api/public-api.ts";
import { FILE_NAME_MAX, sendFile } from "../../api/send-file.ts";
import type { TranscriptionRequest } from "../../api/snippets.ts";
import { formOf } from "./transcription.ts";

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
  form.set("metadata[recording]", file.name.slice(-FILE_NAME_MAX));
  if (file.size > FILE_BYTES_MAX) {
    form.set("file_id", await sendFile(client, file, onSent));
    form.delete("file");
  }
  const made = await client("/audio/transcriptions", { method: "POST", body: form });
  return ((await made.json()) as { id: string }).id;
}
