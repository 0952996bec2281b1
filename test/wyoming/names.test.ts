/** Promise: over Wyoming, too, a key may use the names of other services if its organization is unmetered, and only then. */
import { afterAll, beforeAll, expect, test } from "bun:test";
import { installedFamilies } from "../../src/engine/families/installed.ts";
import { type Harness, openHarness } from "../harness.ts";
import { openPeer, type ServedWyoming, serveWyoming, typesOf } from "./peer.ts";

let harness: Harness;
let server: ServedWyoming;
beforeAll(async () => {
  harness = await openHarness({ plan: "unmetered" });
  server = await serveWyoming(harness);
});
afterAll(async () => {
  await server[Symbol.asyncDispose]();
  await harness[Symbol.asyncDispose]();
});

/** The type of the first event of the answer. */
async function answerTo(name: string): Promise<string | undefined> {
  await using peer = await openPeer(server.port);
  peer.send("synthesize", { text: "Hi.", voice: { name } });
  return (await peer.next())?.type;
}

test("an unmetered organization names voices by their aliases and display names", async () => {
  expect([await answerTo("alloy"), await answerTo("Ada"), await answerTo("nobody")]).toEqual([
    "audio-start",
    "audio-start",
    "error",
  ]);
});

const hears = installedFamilies().has("sphinx");
test.if(hears)(`and models${hears ? "" : " (skipped: libpocketsphinx is not installed)"}`, async () => {
  await using peer = await openPeer(server.port);
  peer.send("transcribe", { name: "whisper-1" });
  peer.send("audio-start", { rate: 24_000, width: 2, channels: 1 });
  peer.send("audio-stop");
  expect(typesOf(await peer.until("transcript")).at(-1)).toBe("transcript");
});

test("a prepaid organization names them as the catalogue does", async () => {
  await harness.parts.accounts.setPlan(harness.organizationId, "prepaid");
  await harness.parts.ledger.grantStarting(harness.organizationId);
  expect([await answerTo("female-warm"), await answerTo("alloy"), await answerTo("Ada")]).toEqual([
    "audio-start",
    "error",
    "error",
  ]);
});
