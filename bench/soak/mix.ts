/**
 * The requests of a soak: every kind that succeeds, and every fiftieth broken. Each sender says whether it got what it
 * should, so that a failure is seen.
 */
import { hangUp, speak, type Target, transcribe } from "../harness/client.ts";

export type Recordings = Map<string, Blob>;
type Turn = { target: Target; turn: number; recordings: Recordings };
type Send = (turn: Turn) => Promise<boolean>;

/** Every so many requests one is broken: 2 %. */
const BROKEN_EVERY = 50;
/** Recognition takes a hundred times as long as anything else, so it is rare. */
const RECOGNIZED_EVERY = 100;

const FORMATS = ["wav", "mp3", "flac", "pcm", "opus"];
const VOICES = ["female-warm", "male-deep", "female-sunny", "male-mellow", "female-crisp"];
const TEXTS = ["Good morning.", "The train to Ghent leaves at ten past eight.", "Go on. I am listening."];

const pick = <T>(choices: readonly T[], turn: number): T => choices[turn % choices.length]!;

/** One request; false where its response was not what it should be. */
export function send(turn: Turn): Promise<boolean> {
  const { turn: index } = turn;
  if (index % BROKEN_EVERY === BROKEN_EVERY - 1) return pick(BROKEN, Math.floor(index / BROKEN_EVERY))(turn);
  if (index % RECOGNIZED_EVERY === RECOGNIZED_EVERY / 2) return recognized(turn);
  return pick(GOOD, index)(turn);
}

const varied = (turn: number) => ({
  voice: pick(VOICES, turn),
  input: pick(TEXTS, turn),
  response_format: pick(FORMATS, Math.floor(turn / GOOD.length)), // each kind of request in each format
});

const STREAMED = { response_format: "pcm" }; // the only one that this model streams

const GOOD: Send[] = [
  async ({ target, turn }) => isWhole(await speak(target, varied(turn))),
  async ({ target, turn }) => isWhole(await speak(target, { ...varied(turn), ...STREAMED, stream: true })),
  async ({ target, turn }) =>
    (await (await speak(target, { ...varied(turn), ...STREAMED, stream_format: "sse" })).text()).includes(
      "audio.done",
    ),
  async ({ target }) => isWhole(await get(target, "/v1/models")),
  async ({ target }) => isWhole(await get(target, "/v1/voices")),
  async ({ target }) => isWhole(await get(target, "/v1/me")),
];

const recognized: Send = async ({ target, turn, recordings }) =>
  isWhole(
    await transcribe(
      target,
      recordings.get(pick([...recordings.keys()], Math.floor(turn / RECOGNIZED_EVERY)))!,
    ),
  );

const BROKEN: Send[] = [
  async ({ target }) => isWhole(await speak(target, { input: "" }), [422]),
  async ({ target }) => isWhole(await speak(target, { voice: "nobody" }), [404]),
  async ({ target }) => isWhole(await transcribe(target, new Blob(["this is no recording"])), [400]),
  async ({ target }) => isWhole(await transcribe(target, new Blob([FALSE_MP3])), [400]),
  async ({ target }) => isWhole(await speak({ ...target, key: "sk_live_nobody" }, {}), [401]),
  async ({ target }) => isWhole(await get(target, "/v1/nothing"), [404]),
  async ({ target }) => hangUp(target),
];

const FALSE_MP3 = new Uint8Array(4096).fill(0xff);

async function isWhole(response: Response, statuses = [200]): Promise<boolean> {
  const { byteLength } = await response.arrayBuffer();
  return statuses.includes(response.status) && byteLength > 0;
}

function get({ url, key }: Target, path: string): Promise<Response> {
  return fetch(url + path, { headers: { authorization: `Bearer ${key}` } });
}

/** A clip in each format that uploads may have. */
export async function record(target: Target): Promise<Recordings> {
  const recordings: Recordings = new Map();
  for (const format of ["wav", "mp3", "flac", "opus"])
    recordings.set(format, await (await speak(target, { input: "Yes.", response_format: format })).blob());
  return recordings;
}
