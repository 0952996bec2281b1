/**
 * First audio through the dialects of ElevenLabs, Deepgram and jambonz, against OpenAI's route: the same text, voice and samples,
 * on one server, in turns.
 */
import { median, type Row } from "../harness/row.ts";
import { type Server, startServer } from "../harness/server.ts";
import { textOf } from "../harness/texts.ts";

const VOICE = "female-warm";
const TURNS = 40;
const WARM_UP = 5;

type Way = { name: string; path: string; bodyOf(text: string): object };

const OPENAI: Way = {
  name: "OpenAI's route",
  path: "/v1/audio/speech",
  bodyOf: (input) => ({ model: "svc-tts1", voice: VOICE, response_format: "pcm", stream: true, input }),
};
const DIALECTS: Way[] = [
  {
    name: "ElevenLabs'",
    path: `/v1/text-to-speech/${VOICE}/stream?output_format=pcm_24000`,
    bodyOf: (text) => ({ text }),
  },
  {
    name: "Deepgram's",
    path: `/v1/speak?model=${VOICE}&encoding=linear16&container=none`,
    bodyOf: (text) => ({ text }),
  },
  {
    name: "jambonz's",
    path: "/jambonz/synthesize?format=l16&sampleRate=24000",
    bodyOf: (text) => ({ text, type: "text", voice: VOICE }),
  },
];

export async function benchDialects(): Promise<Row[]> {
  await using server = await startServer();
  const ways = [OPENAI, ...DIALECTS];
  const waits = new Map<Way, number[]>(ways.map((way) => [way, []]));
  for (let turn = 0; turn < WARM_UP + TURNS; turn++)
    for (const way of ways) {
      const ms = await firstAudioMs(server, way, textOf(turn));
      if (turn >= WARM_UP) waits.get(way)!.push(ms);
    }
  const usual = median(waits.get(OPENAI)!);
  return [
    { name: `first audio by ${OPENAI.name}, p50`, value: usual, unit: "ms" },
    ...DIALECTS.flatMap((way): Row[] => {
      const value = median(waits.get(way)!);
      return [
        { name: `first audio by ${way.name}, p50`, value, unit: "ms" },
        { name: `${way.name} to ${OPENAI.name}`, value: value / usual, unit: "x", target: "at most 1.1" },
      ];
    }),
  ];
}

async function firstAudioMs({ url, key }: Server, { path, bodyOf }: Way, text: string): Promise<number> {
  const begun = performance.now();
  const response = await fetch(url + path, {
    method: "POST",
    headers: { authorization: `Bearer ${key}`, "content-type": "application/json" },
    body: JSON.stringify(bodyOf(text)),
  });
  if (!response.ok) throw new Error(`${path}: ${response.status} ${await response.text()}`);
  const reader = response.body!.getReader();
  await reader.read();
  const ms = performance.now() - begun;
  while (!(await reader.read()).done); // to its end, so that the next one finds an idle engine
  return ms;
}
