/** Promise: `synthesize` prefers a voice of the region that is asked for, and reads SSML, whole and in a stream. */
import { afterAll, beforeAll, expect, test } from "bun:test";
import { type Harness, openHarness } from "../harness.ts";
import { audioOf, type ServedWyoming, serveWyoming, type WyomingPeer, withPeer } from "./peer.ts";

const TEXT = "We are at the old house by the river.";

let harness: Harness;
let server: ServedWyoming;
beforeAll(async () => {
  harness = await openHarness();
  server = await serveWyoming(harness);
});
afterAll(async () => {
  await server[Symbol.asyncDispose]();
  await harness[Symbol.asyncDispose]();
});

const within = <T>(work: (peer: WyomingPeer) => Promise<T>) => withPeer(server.port, work);

test("prefers a voice of the region", async () => {
  const spoken = async (language: string) =>
    await within(async (peer) => {
      peer.send("synthesize", { text: TEXT, voice: { language } });
      return audioOf(await peer.until("audio-stop"));
    });
  const [american, british, written, unknown] = [
    await spoken("en-US"),
    await spoken("en-GB"),
    await spoken("en_gb"),
    await spoken("en-NZ"),
  ];
  expect(british.equals(american)).toBe(false);
  expect(written.equals(british)).toBe(true);
  expect(unknown.equals(american)).toBe(true);
});

test("reads SSML, whole and in a stream", async () => {
  const text = '<speak>One.<break time="1s"/> Two.</speak>';
  const whole = await within(async (peer) => {
    peer.send("synthesize", { text, text_format: "ssml" });
    return audioOf(await peer.until("audio-stop"));
  });
  const streamed = await within(async (peer) => {
    peer.send("synthesize-start", { text_format: "ssml" });
    for (const piece of text.match(/.{1,9}/g)!) peer.send("synthesize-chunk", { text: piece });
    peer.send("synthesize-stop");
    return audioOf(await peer.until("synthesize-stopped"));
  });
  expect(whole.length / 48_000).toBeGreaterThan(1.5);
  expect(streamed.equals(whole)).toBe(true);
});
