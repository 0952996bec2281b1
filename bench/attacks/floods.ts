/**
 * Floods, each as one attacker with its own key would send it, until this process is ended. `attacks.ts` runs it in its
 * own process: `bun bench/attacks/floods.ts NAME ORIGIN KEY`.
 *
 * A flood is a number of connections that repeat the same request. When it is stopped it prints its responses by outcome,
 * as JSON, so that a flood that never arrived is not mistaken for a harmless one.
 */
import { connect, type Socket } from "node:net";

type Target = { url: URL; key: string };
/** Resolves to the outcome: a status, or a word. */
type Once = (target: Target) => Promise<number | string>;
type Flood = { connections: number; once: Once };

const MIB = 1024 * 1024;
const BOUNDARY = "flood-boundary";
const LONG_TEXT = "It was a long story, and he told all of it to us. ".repeat(40);
const SPEECH = { model: "svc-tts1", voice: "male-classic", response_format: "pcm", stream: true };

export const FLOODS = {
  "large bodies": { connections: 8, once: (target) => transcribe(target, largeFile) },
  "many parts": { connections: 8, once: (target) => transcribe(target, manyParts) },
  "deep JSON": { connections: 16, once: (target) => post(target, "/v1/audio/speech", deepJson) },
  "big frames": { connections: 4, once: bigFrames },
  "slow readers": { connections: 10, once: readNothing },
  "aborted requests": { connections: 8, once: abort },
  "minted secrets": { connections: 8, once: (target) => post(target, "/v1/realtime/client_secrets", MINT) },
  "sign-in storms": { connections: 32, once: signIn },
} satisfies Record<string, Flood>;

export type FloodName = keyof typeof FLOODS;

const deepJson = `{"input":${"[".repeat(120_000)}${"]".repeat(120_000)}}`;
const deepFrame = `{"type":"output_audio_buffer.clear","pad":${"[".repeat(4 * MIB)}${"]".repeat(4 * MIB)}}`;
const MINT = JSON.stringify({ session: { type: "transcription", junk: "x".repeat(24_000) } });
const part = (name: string, more = "") =>
  `--${BOUNDARY}\r\nContent-Disposition: form-data; name="${name}"${more}\r\n\r\n`;
const filled = (sizeBytes: number) =>
  Buffer.concat([
    Buffer.from(`${part("model")}svc-stt1\r\n${part("file", '; filename="a.wav"')}`),
    Buffer.alloc(sizeBytes),
    Buffer.from(`\r\n--${BOUNDARY}--\r\n`),
  ]);
const largeFile = filled(25 * MIB);
const manyParts = Buffer.from(`${part("a")}x\r\n`.repeat(150_000));

async function flood(target: Target, connections: number, once: Once): Promise<void> {
  const answers: Record<string, number> = {};
  process.on("SIGTERM", () => {
    process.stdout.write(JSON.stringify(answers));
    process.exit();
  });
  const attacker = async () => {
    for (;;) {
      const answer = await once(target).catch(
        (cause: unknown) => `failed: ${(cause as Error).message.slice(0, 60)}`,
      );
      answers[answer] = (answers[answer] ?? 0) + 1;
      await Bun.sleep(1);
    }
  };
  await Promise.all(Array.from({ length: connections }, attacker));
}

const headersOf = ({ key }: Target, type: string) => ({
  authorization: `Bearer ${key}`,
  "content-type": type,
});

async function post(target: Target, path: string, body: string): Promise<number> {
  return send(new URL(path, target.url), { headers: headersOf(target, "application/json"), body });
}

async function send(url: URL, init: RequestInit): Promise<number> {
  const response = await fetch(url, { ...init, method: "POST" });
  await response.arrayBuffer();
  return response.status;
}

async function transcribe(target: Target, body: Buffer<ArrayBuffer>): Promise<number> {
  const headers = headersOf(target, `multipart/form-data; boundary=${BOUNDARY}`);
  return send(new URL("/v1/audio/transcriptions", target.url), { headers, body });
}

/** Eight megabytes of brackets in one event, and the same again until the server closes the socket. */
async function bigFrames({ url, key }: Target): Promise<string> {
  const address = new URL("/v1/realtime?intent=transcription", url);
  address.protocol = "ws:";
  const socket = new WebSocket(address, { headers: { authorization: `Bearer ${key}` } } as never);
  const over = new Promise<void>((resolve) => {
    for (const event of ["close", "error"]) socket.addEventListener(event, () => resolve());
  });
  let sent = 0;
  socket.addEventListener("message", () => {
    socket.send(deepFrame);
    sent++;
  });
  await Promise.race([over, Bun.sleep(20_000)]);
  socket.close();
  return `closed after ${sent > 1 ? "several" : sent}`;
}

const speechRequest = ({ url, key }: Target, input: string): string => {
  const body = JSON.stringify({ ...SPEECH, input });
  const heading = [
    "POST /v1/audio/speech HTTP/1.1",
    `Host: ${url.host}`,
    `Authorization: Bearer ${key}`,
    "Content-Type: application/json",
    `Content-Length: ${body.length}`,
  ];
  return `${heading.join("\r\n")}\r\n\r\n${body}`;
};

function dial({ url }: Target): Socket {
  const socket = connect({ host: url.hostname, port: Number(url.port) });
  socket.on("error", () => {});
  return socket;
}

/** Asks for two minutes of speech and takes none of it, until the server gives up. */
async function readNothing(target: Target): Promise<string> {
  const socket = dial(target);
  socket.write(speechRequest(target, LONG_TEXT));
  socket.pause();
  await new Promise<void>((resolve) => socket.once("close", () => resolve()));
  return "closed";
}

async function abort(target: Target): Promise<string> {
  const socket = dial(target);
  socket.write(speechRequest(target, LONG_TEXT));
  await Bun.sleep(Math.random() * 50);
  socket.destroy();
  return "left";
}

async function signIn({ url }: Target): Promise<number> {
  const body = JSON.stringify({ email: `${crypto.randomUUID()}@example.com`, password: "a wrong password" });
  const headers = { "content-type": "application/json", origin: url.origin };
  return send(new URL("/api/auth/sign-in/email", url), { headers, body });
}

if (import.meta.main) {
  const [name, url, key] = process.argv.slice(2);
  const { connections, once } = FLOODS[name as FloodName];
  await flood({ url: new URL(url!), key: key! }, connections, once);
}
