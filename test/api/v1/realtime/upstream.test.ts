/**
 * Promise: a live session whose model another Loquat runs says what that one would, word by word; where its connection
 * fails, files take over, or the turn fails with what was said before, and only that is charged.
 */
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { STREAMING, streamingContents } from "../../../../testing/packages/families/nemo-streaming.ts";
import { packageOf, storePackage } from "../../../../testing/packages/model-store.ts";
import type { Harness } from "../../../harness.ts";
import { until } from "../../../until.ts";
import { type Moment, openListeningServer, type Turn } from "../../../upstreams/listening-server.ts";
import { openTwoHops } from "../../two-hops.ts";
import { dial, MANUAL } from "./live.ts";

const weights = mkdtempSync(join(tmpdir(), "loquat-weights-"));
let front: Awaited<ReturnType<typeof openTwoHops>>;
beforeAll(async () => {
  const contents = streamingContents();
  storePackage(
    weights,
    packageOf("nemotron-3.5-streaming", "nemo-streaming", { options: STREAMING, contents }),
    contents,
  );
  front = await openTwoHops({ behind: { LOQUAT_WEIGHTS: weights } });
});
afterAll(async () => {
  await front[Symbol.asyncDispose]();
  rmSync(weights, { recursive: true, force: true });
});

const RATE = 24_000;
const recording = Int16Array.from(
  { length: RATE * 4 },
  (_, index) => 9000 * Math.sin(index / 30) * Math.sin(index / 4000),
);
const live = ({ logged }: Pick<Harness, "logged">) =>
  logged.filter(({ event, endpoint }) => event === "request" && endpoint === "/v1/realtime");

async function begun(server: Pick<Harness, "url" | "key">, model = "svc-stt1") {
  const client = await dial(server, { query: `intent=transcription&model=${model}` });
  client.update(MANUAL);
  await client.until("session.updated");
  for (let offset = 0; offset < recording.length; offset += RATE / 10)
    client.append(new Uint8Array(recording.slice(offset, offset + RATE / 10).buffer));
  return client;
}

async function transcriptOf(server: Pick<Harness, "url" | "key">): Promise<string> {
  const client = await begun(server);
  client.commit();
  const { transcript } = await client.until("input_audio_transcription.completed");
  const deltas = client.events.filter(({ type }) => type.endsWith("transcription.delta"));
  expect(deltas.map(({ delta }) => delta).join("")).toBe(String(transcript));
  client.close();
  return String(transcript);
}

test("two hops say the same words, over one connection for each turn", async () => {
  const near = await transcriptOf(front.behind);
  expect(near.length).toBeGreaterThan(0);
  const before = live(front.behind).length;
  expect(await transcriptOf(front)).toBe(near);
  await until(() => live(front.behind).length === before + 1);
  expect(live(front.behind).at(-1)).toMatchObject({ model: "svc-stt1", audioSeconds: expect.closeTo(4, 1) });
  const transcriptions = front.behind.logged.filter(
    ({ endpoint }) => endpoint === "/v1/audio/transcriptions",
  );
  expect(transcriptions).toEqual([]);
});

test("a client that leaves ends the session of the other server", async () => {
  const before = live(front.behind).length;
  const client = await begun(front);
  const { parts, organizationId } = front.behind;
  await until(async () => (await parts.limits.inFlight(organizationId, parts.clock.now())) > 0);
  client.close();
  await until(() => live(front.behind).length > before);
});

/** A model that the stand-in listens to, under an id of its own. */
async function offered(name: string, handle: (turn: Turn, moment: Moment) => void) {
  const server = openListeningServer(handle);
  await front.parts.upstreamAdmin.put({
    ...front.definition,
    ...{ name, urls: [server.url] },
    models: [{ type: "stt", model: name, upstream_model: "theirs", languages: ["en"], realtime: true }],
  });
  return server;
}

/** The seconds that the only session of a model was charged. */
async function chargedFor(name: string): Promise<number> {
  const sessions = () => live(front).filter(({ model }) => model === name);
  await until(() => sessions().length === 1);
  return Number(sessions()[0]!.audioSeconds ?? 0);
}

describe("a turn whose connection breaks", () => {
  const breaking = (text: string) => (turn: Turn, moment: Moment) => {
    if (moment === "updated") turn.send("session.updated");
    if (moment !== "audio" || turn.samples < 32_000) return;
    if (text !== "") turn.delta(text);
    turn.terminate();
  };

  const failing = async (name: string) => {
    const client = await begun(front, name);
    client.commit();
    expect(await client.until("failed")).toMatchObject({ error: { code: "transcription_failed" } });
    client.close();
    return client.events.flatMap(({ type, delta }) => (type.endsWith("transcription.delta") ? [delta] : []));
  };

  test("before its first word fails, where files fail too, and costs nothing", async () => {
    using server = await offered("breaks-early", breaking(""));
    expect(await failing("breaks-early")).toEqual([]);
    expect(await chargedFor("breaks-early")).toBe(0);
    expect(server.turns).toHaveLength(1);
  });

  test("after some words is charged for what was sent before them", async () => {
    using _ = await offered("breaks-late", breaking("two words"));
    expect(await failing("breaks-late")).toEqual(["two words"]);
    const seconds = await chargedFor("breaks-late");
    expect(seconds).toBeGreaterThanOrEqual(2);
    expect(seconds).toBeLessThan(4);
  });
});

test("files take over where the other server does not listen", async () => {
  const flags = { health: null, realtime: { path: "/v1/nothing" } };
  await front.parts.upstreamAdmin.put({ ...front.definition, flags });
  const before = live(front.behind).length;
  expect(await transcriptOf(front)).not.toBe("");
  expect(live(front.behind)).toHaveLength(before);
  const files = front.behind.logged.filter(({ endpoint }) => endpoint === "/v1/audio/transcriptions");
  expect(files.length).toBeGreaterThan(0);
  await front.parts.upstreamAdmin.put(front.definition);
});
