/** Promise: a server that shuts down sends what its sessions said so far, and charges for that. */
import { expect, test } from "bun:test";
import { neverShutDown } from "../../../../src/api/middleware/shutdown.ts";
import { closing as serverClosing } from "../../../../src/engine/runner.ts";
import { openHarness } from "../../../harness.ts";
import { until } from "../../../until.ts";
import { dial, MANUAL, scriptedLive, silence } from "./live.ts";

test("a server that shuts down sends the transcripts of committed audio, and closes with 1001", async () => {
  const closing = new AbortController();
  await using server = await openHarness({
    services: { live: scriptedLive().live },
    shutdown: neverShutDown({ closing: closing.signal }),
  });
  const client = await dial(server);
  client.update(MANUAL);
  client.append(silence(1));
  client.commit();
  await client.until("committed");
  closing.abort();
  expect(await client.closed).toEqual({ code: 1001, reason: "closing" });
  expect(client.types().at(-1)).toBe("completed");
});

test("a server that shuts down commits the open turn, with the audio that is still queued, and sends it", async () => {
  const closing = new AbortController();
  await using server = await openHarness({
    services: { live: scriptedLive().live },
    shutdown: neverShutDown({ closing: closing.signal }),
  });
  const client = await dial(server);
  client.update(MANUAL);
  await client.until("updated");
  client.append(silence(1));
  client.send("conversation.item.retrieve", { item_id: "none" });
  await client.until("error"); // the audio before it was received
  closing.abort();
  expect(await client.closed).toEqual({ code: 1001, reason: "closing" });
  expect(client.types().slice(-5)).toEqual(["committed", "added", "done", "delta", "completed"]);
  expect(client.events.at(-1)).toMatchObject({ transcript: "1.00" });
  const line = () => server.logged.find(({ event }) => event === "request");
  await until(line);
  expect(line()).toMatchObject({ status: 101, audioSeconds: 1 });
});

test("a session that does not end before the server has to is closed with 1013, and logged with 503", async () => {
  const [closing, cut] = [new AbortController(), new AbortController()];
  const { live } = scriptedLive();
  const stuck = { open: (listener: never) => ({ ...live.open(listener), finish: async () => {} }) };
  await using server = await openHarness({
    services: { live: stuck },
    shutdown: neverShutDown({ closing: closing.signal, cut: cut.signal }),
  });
  const client = await dial(server);
  client.update(MANUAL);
  client.append(silence(1));
  client.commit();
  await client.until("committed");
  closing.abort();
  cut.abort(serverClosing());
  expect(await client.ended()).toMatchObject({ close: 1013, code: "service_unavailable" });
  const line = () => server.logged.find(({ event }) => event === "request");
  await until(line);
  expect(line()).toMatchObject({ status: 503, errorCode: "service_unavailable" });
});
