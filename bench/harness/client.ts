/** Requests as callers of the public API send them. */
export type Target = { url: string; key: string };

/** `fields` replace or add to those of a short text. */
export function speak(
  { url, key }: Target,
  fields: object,
  signal: AbortSignal | null = null,
): Promise<Response> {
  const body = { model: "svc-tts1", voice: "female-warm", input: "Good morning, everyone.", ...fields };
  const headers = { authorization: `Bearer ${key}`, "content-type": "application/json" };
  return fetch(`${url}/v1/audio/speech`, { method: "POST", headers, body: JSON.stringify(body), signal });
}

/** Leaves after the first bytes of a long answer; false where it was a refusal. */
export async function hangUp(target: Target): Promise<boolean> {
  const caller = new AbortController();
  const input = "This goes on for a while. ".repeat(20);
  const response = await speak(target, { input, response_format: "pcm", stream: true }, caller.signal);
  await response.body!.getReader().read();
  caller.abort();
  return response.status === 200;
}

/** A text as WAV. */
export async function clipOf(target: Target, input: string): Promise<Blob> {
  const response = await speak(target, { input, response_format: "wav" });
  if (!response.ok) throw new Error(await response.text());
  return response.blob();
}

/** `fields` are added to the form. */
export function transcribe(
  { url, key }: Target,
  file: Blob,
  fields: Record<string, string> = {},
): Promise<Response> {
  const body = new FormData();
  body.append("model", "svc-stt1");
  for (const [name, value] of Object.entries(fields)) body.append(name, value);
  body.append("file", file, "recording");
  const headers = { authorization: `Bearer ${key}` };
  const init = { method: "POST", headers, body, timeout: false }; // on a busy machine a long recording takes many minutes
  return fetch(`${url}/v1/audio/transcriptions`, init as RequestInit);
}

export async function transcriptOf(target: Target, recording: Blob): Promise<string> {
  const response = await transcribe(target, recording);
  const { text } = (await response.json()) as { text?: string };
  if (!text) throw new Error(`nothing was transcribed: ${response.status}`);
  return text;
}
