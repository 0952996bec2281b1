/** Jobs as callers make them and ask for them, and an upstream that recognizes them at once. */
import type { Server } from "./server.ts";

/** The model of `openInstant`, and its arguments of `loquat upstream add`. */
export const INSTANT = "instant";

export const instantUpstream = (url: URL): string[] => [
  INSTANT,
  ...["--api", "openai", "--url", url.origin, "--model", `stt:${INSTANT}=${INSTANT}`],
];

export type JobReply = { id: string; status: string; progress: number; error?: { message: string } | null };

/** `path`: behind that of all jobs. */
export async function askJobs<Reply = JobReply>(
  { url, key }: Pick<Server, "url" | "key">,
  path: string,
  init: RequestInit = {},
): Promise<Reply> {
  const headers = { authorization: `Bearer ${key}` };
  const response = await fetch(`${url}/v1/audio/jobs${path}`, { ...init, headers });
  if (!response.ok) throw new Error(await response.text());
  return (await response.json()) as Reply;
}

/** The id of the job that a request has made. */
export async function madeBy(response: Response): Promise<string> {
  if (response.status !== 202) throw new Error(await response.text());
  return ((await response.json()) as JobReply).id;
}

/** Fails where it does not succeed. */
export async function ended(server: Server, id: string): Promise<void> {
  for (;;) {
    const { status, error } = await askJobs(server, `/${id}?wait=60`);
    if (status === "completed") return;
    if (status !== "queued" && status !== "in_progress") throw new Error(`${status}: ${error?.message}`);
  }
}

export async function begun(server: Server, id: string): Promise<void> {
  while ((await askJobs(server, `/${id}?wait=60`)).status === "queued");
}

export const cancel = (server: Server, id: string): Promise<JobReply> =>
  askJobs(server, `/${id}/cancel`, { method: "POST" });

/** A server of OpenAI's shape that hears the same words in every recording. */
export function openInstant() {
  return Bun.serve({
    hostname: "127.0.0.1",
    port: 0,
    async fetch(request) {
      if (request.method === "GET")
        return Response.json({ object: "list", data: [{ id: INSTANT, object: "model" }] });
      await request.arrayBuffer();
      return Response.json({
        ...{ task: "transcribe", language: "english", duration: 1, text: "Good morning." },
        segments: [{ id: 0, start: 0, end: 1, text: "Good morning." }],
        words: [
          { word: "Good", start: 0, end: 0.5 },
          { word: "morning.", start: 0.5, end: 1 },
        ],
      });
    },
  });
}
