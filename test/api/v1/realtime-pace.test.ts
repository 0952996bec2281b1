/** Promise: refused data on a socket is read at the shared pace, and the client still gets the reason. */
import { expect, test } from "bun:test";
import { openHarness } from "../../harness.ts";
import { dial, scriptedLive } from "./live.ts";

const BRACKETS = 1_000_000;
const nested = `${"[".repeat(BRACKETS)}${"]".repeat(BRACKETS)}`;

test("a refused frame is answered after the time that its size needs at the pace", async () => {
  const [asked, allowed] = [Promise.withResolvers<number>(), Promise.withResolvers<void>()];
  const pace = (sizeBytes: number) => {
    asked.resolve(sizeBytes);
    return allowed.promise;
  };
  await using harness = await openHarness({ own: { live: scriptedLive().live }, pace });
  const client = await dial(harness);
  await client.until("created");
  client.socket.send(nested);
  expect(await asked.promise).toBe(nested.length);
  expect(client.types()).not.toContain("error");
  allowed.resolve();
  expect((await client.until("error")).error).toMatchObject({ code: "invalid_event" });
  await client.closed;
});

test("a socket without a valid key is closed at the pace of what it sent", async () => {
  const asked: number[] = [];
  const pace = async (sizeBytes: number) => void asked.push(sizeBytes);
  await using harness = await openHarness({ pace });
  const client = await dial({ url: harness.url, key: "sk_live_nobodys" });
  await client.closed;
  expect(asked.length).toBe(1);
});
