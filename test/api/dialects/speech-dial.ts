/** A client of the sockets that speak: it keeps what it is told. */
import { WebSocket } from "ws";
import type { Harness } from "../../harness.ts";
import { until } from "../../until.ts";

type Told = Record<string, unknown> & {
  type?: string;
  audio?: string | null;
  contextId?: string;
  isFinal?: boolean | null;
  alignment?: Alignment | null;
  error?: string;
  code?: string | number;
  description?: string;
};
export type Alignment = { chars: string[]; charStartTimesMs: number[]; charDurationsMs: number[] };

type Dial = { path: string; headers?: Record<string, string>; protocols?: string[] };

export async function dialSpeech(
  { url }: Pick<Harness, "url">,
  { path, headers = {}, protocols = [] }: Dial,
) {
  const socket = new WebSocket(url.replace("http", "ws") + path, protocols, { headers });
  const told: Told[] = [];
  const binary: Buffer[] = [];
  let closed: { code: number; reason: string } | null = null;
  socket.on("message", (data: Buffer, isBinary: boolean) => {
    if (isBinary) binary.push(data);
    else told.push(JSON.parse(data.toString()) as Told);
  });
  socket.on("close", (code: number, reason: Buffer) => {
    closed = { code, reason: reason.toString() };
  });
  let head: Record<string, unknown> = {};
  socket.on("upgrade", (response) => {
    head = response.headers;
  });
  await new Promise<void>((resolve, reject) => {
    socket.once("open", resolve);
    socket.once("error", reject);
  });
  return {
    socket,
    told,
    binary,
    head,
    send: (message: object | string) =>
      socket.send(typeof message === "string" ? message : JSON.stringify(message)),
    /** Waits until this was told; fails where the socket closes before it. */
    until: (look: (message: Told) => boolean, count = 1) =>
      until(() => {
        const match = told.filter(look)[count - 1];
        if (!match && closed) throw new Error(`closed before: ${JSON.stringify([closed, told.at(-1)])}`);
        return match;
      }),
    closed: () => until(() => closed),
    isClosed: () => closed !== null,
    audio: (id?: string) =>
      Buffer.concat(
        told.flatMap(({ audio, contextId }) =>
          audio && contextId === id ? Buffer.from(audio, "base64") : [],
        ),
      ),
    sound: () => Buffer.concat(binary),
    close: () => socket.close(),
  };
}

/** When each character is heard, as clients add up the messages; in ms. */
export function heardAt(alignments: Alignment[]): { text: string; starts: number[] } {
  let before = 0;
  const starts: number[] = [];
  for (const { charStartTimesMs, charDurationsMs } of alignments) {
    starts.push(...charStartTimesMs.map((ms) => before + ms));
    before += charStartTimesMs.at(-1)! + charDurationsMs.at(-1)!;
  }
  return { text: alignments.flatMap(({ chars }) => chars).join(""), starts };
}
