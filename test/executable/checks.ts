/** What a packed program must do, as checks that have a name and throw where it does not. */

import { dial } from "../api/v1/realtime/live.ts";
import { packed } from "../audio/packed.ts";

export type Target = {
  url: string;
  key: string;
  /** Has the GPL packages. */
  isFull: boolean;
  hasSphinx: boolean;
  /** Runs a command in the root. */
  run(...args: string[]): Promise<{ code: number; out: string; err: string }>;
};

type Check = (target: Target) => Promise<void>;

const TEXT = "Hello there, how are you today?";

function must(isTrue: boolean, what: string): void {
  if (!isTrue) throw new Error(what);
}

const bearer = ({ key }: Target) => ({ authorization: `Bearer ${key}` });

async function speak(target: Target, fields: object): Promise<Uint8Array> {
  const response = await fetch(`${target.url}/v1/audio/speech`, {
    method: "POST",
    headers: { ...bearer(target), "content-type": "application/json" },
    body: JSON.stringify({ model: "svc-tts1", voice: "female-warm", input: TEXT, ...fields }),
  });
  if (!response.ok) throw new Error(`${response.status} ${await response.text()}`);
  return new Uint8Array(await response.arrayBuffer());
}

function transcribe(target: Target, bytes: Uint8Array): Promise<Response> {
  const form = new FormData();
  form.set("file", new File([Buffer.from(bytes)], "recording"));
  form.set("model", "svc-stt1");
  return fetch(`${target.url}/v1/audio/transcriptions`, {
    method: "POST",
    headers: bearer(target),
    body: form,
  });
}

const speaks =
  (format: string): Check =>
  async (target) =>
    must((await speak(target, { response_format: format })).length > 2000, "a short body");

const hears =
  (format: "wav" | "mp3" | "flac" | "opus"): Check =>
  async (target) => {
    const response = await transcribe(target, await speak(target, { response_format: format }));
    const { text = "" } = (await response.json()) as { text?: string };
    must(/hello|how|are|you|today/i.test(text), `${response.status} ${text}`);
  };

/** Of formats that only FFmpeg reads. */
const readsOthers: Check = async (target) => {
  for (const format of ["m4a", "webm opus"] as const) {
    const response = await transcribe(target, await packed(format));
    const body = await response.text();
    must(target.isFull ? response.ok : body.includes("need FFmpeg"), `${format}: ${response.status} ${body}`);
  }
};

const readsVorbis: Check = async (target) => {
  const response = await transcribe(target, await packed("ogg vorbis"));
  must(response.ok, `${response.status} ${await response.text()}`);
};

const otherLanguage: Check = async (target) => {
  const { data } = (await (await fetch(`${target.url}/v1/voices`, { headers: bearer(target) })).json()) as {
    data: { id: string; language?: string; languages?: string[] }[];
  };
  const voice = data.find((each) => !JSON.stringify(each).includes('"en'));
  must((voice !== undefined) === target.isFull, "voices of other languages");
  if (voice)
    must((await speak(target, { voice: voice.id, input: "Guten Tag" })).length > 2000, "a short body");
};

const livens: Check = async (target) => {
  const speech = await speak(target, { response_format: "pcm" });
  const client = await dial(target);
  client.update({ type: "transcription", audio: { input: { turn_detection: null } } });
  await client.until("updated");
  client.append(speech);
  client.commit();
  const { transcript } = await client.until("completed");
  client.close();
  must(/hello|how|are|you|today/i.test(String(transcript)), String(transcript));
};

const PAGES = [
  "/",
  "/setup",
  "/playground",
  "/docs",
  "/docs/quickstart",
  "/docs/clients/openai-sdk.md",
  "/docs/api/createSpeech",
  "/docs/management",
  "/docs/json",
];
const MORE = [
  "/docs/search?q=voice",
  "/llms.txt",
  "/llms-full.txt",
  "/healthz",
  "/readyz",
  "/v1/models",
  "/v1/voices",
];

const pages: Check = async (target) => {
  for (const path of [...PAGES, ...MORE]) {
    const response = await fetch(`${target.url}${path}`, { headers: bearer(target) });
    must(response.ok && (await response.bytes()).length > 10, `${path}: ${response.status}`);
  }
  const page = await (await fetch(`${target.url}/`)).text();
  const script = /<script[^>]+src="([^"]+)"/.exec(page)?.[1] ?? "/none";
  must((await fetch(new URL(script, target.url))).ok, script);
};

const metrics: Check = async (target) => {
  const text = await (await fetch(`${target.url}/metrics`)).text();
  must(/^http_server_request_duration_seconds_count\{/m.test(text), text.slice(0, 200));
};

const COMMANDS: [args: string[], expected: RegExp][] = [
  [["version"], /\d+\.\d+\.\d+/],
  [["doctor"], /ready {4}Flite/],
  [["keys", "list"], /\w/],
  [["org", "list", "--json"], /"data"/],
  [["usage"], /\w/],
  [["ledger", "verify"], /\w/],
  [["models", "list"], /svc-tts1|kokoro/],
  [["voices", "list"], /\w/],
  [["normalize", "It costs $5."], /five dollars/],
  [["licenses"], /libvorbis/],
  [["man"], /LOQUAT|loquat/],
  [["completion", "bash"], /complete/],
  [["unpack"], /sqlite\.node/],
  [["speak", TEXT, "--output", "/srv/speech.wav"], /^/],
  [["backup", "/srv/backup.tar"], /^/],
];

const commands: Check = async ({ run }) => {
  const problems: string[] = [];
  for (const [args, expected] of COMMANDS) {
    const { code, out, err } = await run(...args);
    if (code !== 0 || !expected.test(out))
      problems.push(`${args.join(" ")}: ${code} ${out.slice(0, 300)} ${err.slice(0, 300)}`);
  }
  must(problems.length === 0, problems.join("\n"));
};

export function checksOf({ hasSphinx, isFull }: Target): Record<string, Check> {
  const recognition: Record<string, Check> = {
    "transcribes WAV": hears("wav"),
    "transcribes MP3": hears("mp3"),
    "transcribes FLAC": hears("flac"),
    "transcribes Ogg Opus": hears("opus"),
    "reads Ogg Vorbis": readsVorbis,
    "reads other formats, or says how": readsOthers,
    "transcribes a live session": livens,
  };
  const formats = ["wav", "mp3", "flac", "opus", "pcm"].map(
    (format) => [`speaks ${format}`, speaks(format)] as const,
  );
  return {
    ...Object.fromEntries(formats),
    [isFull ? "speaks other languages" : "has English voices only"]: otherLanguage,
    ...(hasSphinx ? recognition : {}),
    "serves its pages": pages,
    "has metrics": metrics,
    "runs its commands": commands,
  };
}
