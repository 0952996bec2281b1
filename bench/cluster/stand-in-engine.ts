/** A speech server that takes 200 ms for every request, whatever the number of them, so that nodes and not processors limit. */
import { TTS_SAMPLE_RATE } from "../../src/audio/rates.ts";
import { tone } from "../../test/upstreams/stand-in.ts";

const TAKES_MS = 200;
const CLIP_SECONDS = 0.3;

/** `most`: the most requests that it worked on at once since `reset`. */
export type StandInEngine = Disposable & { url: string; most(): number; reset(): void };

export function openStandInEngine(): StandInEngine {
  const clip = tone(CLIP_SECONDS, TTS_SAMPLE_RATE);
  let [open, most] = [0, 0];
  const server = Bun.serve({
    hostname: "127.0.0.1",
    port: 0,
    async fetch(request) {
      if (new URL(request.url).pathname.endsWith("/models")) return Response.json({ data: [{ id: "acme" }] });
      most = Math.max(most, ++open);
      await Bun.sleep(TAKES_MS);
      open--;
      return new Response(clip, { headers: { "content-type": "audio/pcm" } });
    },
  });
  return {
    url: server.url.origin,
    most: () => most,
    reset() {
      most = open;
    },
    [Symbol.dispose]: () => void server.stop(true),
  };
}

const SPEECH = JSON.stringify({
  model: "acme-tts",
  voice: "acme-voice",
  input: "Go on.",
  response_format: "pcm",
});

/** Asks a node that has the engine as its upstream. */
export async function speak(url: string, key: string): Promise<{ status: number; id: string }> {
  const headers = { authorization: `Bearer ${key}`, "content-type": "application/json" };
  const response = await fetch(`${url}/v1/audio/speech`, { method: "POST", headers, body: SPEECH });
  await response.arrayBuffer();
  return { status: response.status, id: response.headers.get("x-request-id")! };
}
