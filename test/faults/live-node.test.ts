/** Promise: a live session whose engine node is killed in the middle of a turn says the same words as without, each once. */
import { expect, test } from "bun:test";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { STREAMING, streamingContents } from "../../testing/packages/families/nemo-streaming.ts";
import { packageOf, storePackage } from "../../testing/packages/model-store.ts";
import { dial } from "../api/v1/realtime/live.ts";
import { openCli } from "../cli/process.ts";
import { until } from "../until.ts";
import { lift } from "./load.ts";

const ENGINE = "nemotron-3.5-streaming";
const SECRET = { LOQUAT_ENGINE_SECRET: "one secret for all nodes of this test" };
const SECONDS = 6;
const PART = 2400; // samples, 100 ms

const recording = Int16Array.from(
  { length: 24_000 * SECONDS },
  (_, index) => 9000 * Math.sin(index / 30) * Math.sin(index / 4000),
);

const tasksOf = async ({ url }: { url: string }): Promise<number> => {
  const text = await (await fetch(`${url}/metrics`)).text();
  const line = new RegExp(`^loquat_engine_task_duration_seconds_count\\{engine="${ENGINE}"\\} (.*)$`, "m");
  return Number(line.exec(text)?.[1] ?? 0);
};

/** How many tasks each node has done, once the tasks of an ended turn are among them. */
async function settledTasks(nodes: { url: string }[]): Promise<number[]> {
  for (let last = ""; ; await Bun.sleep(500)) {
    const counts = await Promise.all(nodes.map(tasksOf));
    if (counts.join() === last) return counts;
    last = counts.join();
  }
}

/** One turn; `amid` happens once a part of it was transcribed. */
async function transcriptOf(
  server: { url: string; key: string },
  amid: () => Promise<unknown>,
): Promise<{ transcript: string; deltas: string }> {
  const client = await dial(server);
  client.update({
    type: "transcription",
    audio: { input: { transcription: { model: "svc-stt1" }, turn_detection: null } },
  });
  await client.until("session.updated");
  const parts = Array.from({ length: recording.length / PART }, (_, at) =>
    recording.slice(at * PART, (at + 1) * PART),
  );
  for (const [index, part] of parts.entries()) {
    client.append(new Uint8Array(part.buffer));
    if (index === parts.length / 2) await amid();
    await Bun.sleep(5);
  }
  client.commit();
  const { transcript } = await client.until("input_audio_transcription.completed");
  const deltas = client.events.filter(({ type }) => type.endsWith("transcription.delta"));
  client.close();
  return { transcript: String(transcript), deltas: deltas.map(({ delta }) => delta).join("") };
}

test("the turn goes on at another node, which gets its audio again", async () => {
  using cli = openCli();
  const weights = mkdtempSync(join(tmpdir(), "loquat-weights-"));
  const contents = streamingContents();
  storePackage(weights, packageOf(ENGINE, "nemo-streaming", { options: STREAMING, contents }), contents);
  const nodes = await Promise.all(
    ["one", "other"].map((name) =>
      cli.serve({
        ...SECRET,
        ...{ LOQUAT_ROLE: "engine", LOQUAT_DATA: join(cli.folder, name), LOQUAT_WEIGHTS: weights },
      }),
    ),
  );
  const engines = nodes.map(({ url }) => url.replace("http", "ws")).join(",");
  const api = await cli.serve({ ...SECRET, LOQUAT_ENGINES: engines });
  await lift(cli);
  const key = readFileSync(join(cli.folder, "data", "first-key"), "utf8").trim();
  const server = { url: api.url, key };
  await until(async () => /^loquat_engine_nodes 2$/m.test(await (await fetch(`${api.url}/metrics`)).text()));

  const whole = await transcriptOf(server, async () => {});
  expect(whole.transcript.length).toBeGreaterThan(0);
  expect(whole.deltas).toBe(whole.transcript);

  const before = await settledTasks(nodes);
  let killed = -1;
  const lost = await transcriptOf(server, async () => {
    await until(async () => {
      const now = await Promise.all(nodes.map(tasksOf));
      killed = now.findIndex((count, at) => count > before[at]!); // a slow node does many parts in one task
      return killed >= 0;
    });
    await nodes[killed]!.stop("SIGKILL");
  });
  expect(lost).toEqual(whole);
  expect(await tasksOf(nodes[1 - killed]!)).toBeGreaterThan(before[1 - killed]!);
  await Promise.all([api, nodes[1 - killed]!].map((each) => each.stop()));
  const { code, out } = await cli.run(["ledger", "verify"]);
  expect({ code, out }).toMatchObject({ code: 0, out: expect.stringContaining("add up") });
  rmSync(weights, { recursive: true, force: true });
}, 180_000);
