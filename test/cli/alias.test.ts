/** Promise: names of other services are edited on the command line, and a running server follows within seconds. */
import { afterAll, beforeAll, expect, test } from "bun:test";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { until } from "../until.ts";
import { type Cli, openCli } from "./process.ts";

let cli: Cli;
let server: Awaited<ReturnType<Cli["serve"]>>;
beforeAll(async () => {
  cli = openCli();
  server = await cli.serve({ LOG_LEVEL: "silent", LOQUAT_PLAN: "unmetered" });
});
afterAll(async () => {
  await server.stop();
  cli[Symbol.dispose]();
});

const run = async (...args: string[]) => {
  const { code, out, err } = await cli.runInTurn(["alias", ...args]);
  expect({ code, err }).toEqual({ code: 0, err: "" });
  return out;
};
const refusal = async (...args: string[]) => {
  const { code, out, err } = await cli.runInTurn(["alias", ...args]);
  expect(out).toBe("");
  return { code, err: err.split("\n")[0]! };
};
type Row = { name: string; kind: string; targets: string[]; response_format: string | null; source: string };
const list = async (): Promise<Row[]> => JSON.parse(await run("list", "--json")).data;
const find = async (name: string) => (await list()).find((row) => row.name === name);

test("shipped names are listed, also as a table", async () => {
  expect(await find("tts-1")).toMatchObject({ kind: "model", response_format: "mp3", source: "shipped" });
  expect(await run("list")).toMatch(/^whisper-1 +model +svc-stt1 +- +shipped$/m);
});

test("aliases are set, removed and reset", async () => {
  expect(await run("set", "Narrator", "male-deep", "male-classic")).toBe(
    "narrator stands for male-deep, male-classic.\n",
  );
  expect(await find("narrator")).toMatchObject({ kind: "voice", source: "own" });
  await run("set", "tts-1", "svc-tts2", "--format", "wav");
  expect(await find("tts-1")).toMatchObject({
    targets: ["svc-tts2"],
    response_format: "wav",
    source: "changed",
  });
  await run("remove", "whisper-1");
  const { data } = JSON.parse((await cli.run(["audit", "--event", "alias", "--json"])).out);
  expect(data).toHaveLength(3);
  expect(data[2]).toMatchObject({
    ...{ type: "alias.updated", resource_id: "narrator", actor: { type: "command_line" } },
    changes: expect.arrayContaining([{ field: "targets", before: null, after: "male-deep, male-classic" }]),
  });
  expect(await run("list")).toMatch(/^whisper-1 +model +switched off +- +changed$/m);
  await run("remove", "narrator");
  expect(await find("narrator")).toBeUndefined();
  await run("reset", "whisper-1");
  expect(await find("whisper-1")).toMatchObject({ targets: ["svc-stt1"], source: "shipped" });
  const changes = JSON.parse((await cli.run(["audit", "--event", "alias", "--json"])).out).data.map(
    (event: { resource_id: string; changes: { field: string }[] }) => [
      event.resource_id,
      event.changes.find(({ field }) => field === "targets"),
    ],
  );
  const targets = (before: string | null, after: string | null) => ({ field: "targets", before, after });
  expect(changes).toEqual([
    ["whisper-1", targets(null, "svc-stt1")],
    ["narrator", targets("male-deep, male-classic", null)],
    ["whisper-1", targets("svc-stt1", null)],
    ["tts-1", targets(expect.stringMatching(/^svc-tts/), "svc-tts2")],
    ["narrator", targets(null, "male-deep, male-classic")],
  ]);
  await run("reset");
  expect((await list()).filter(({ source }) => source !== "shipped")).toEqual([]);
});

test("mistakes in the name or target of an alias are explained", async () => {
  expect(await refusal("set", "x", "svc-tts9")).toEqual({
    code: 2,
    err: 'There is no model or voice svc-tts9. See "loquat models list" and "loquat voices list".',
  });
  expect(await refusal("set", "svc-tts1", "svc-tts2")).toEqual({
    code: 1,
    err: "name is a name of the catalogue already.",
  });
  expect(await refusal("remove", "nobody")).toMatchObject({ code: 2 });
  await run("set", "both", "svc-tts1");
  await run("set", "both", "male-deep");
  expect(await refusal("remove", "both")).toMatchObject({ code: 2 });
  await run("remove", "both", "--kind", "voice");
  await run("remove", "both");
});

test("a running server uses an edited alias within seconds", async () => {
  const key = readFileSync(join(cli.folder, "data", "first-key"), "utf8").trim();
  const speak = () =>
    fetch(`${server.url}/v1/audio/speech`, {
      method: "POST",
      headers: { authorization: `Bearer ${key}`, "content-type": "application/json" },
      body: JSON.stringify({ model: "house-model", voice: "alloy", input: "Go on." }),
    });
  expect((await speak()).status).toBe(400);
  await run("set", "house-model", "svc-tts1", "--format", "mp3");
  const response = await until(async () => {
    const response = await speak();
    return response.status !== 400 && response;
  }, 50);
  expect(response.headers.get("content-type")).toBe("audio/mpeg");
  await response.arrayBuffer();
});

test("speak, which needs no server, uses the operator's own aliases", async () => {
  await run("set", "reader", "male-deep");
  const { code, err } = await cli.run([
    "speak",
    "Hi.",
    "--voice",
    "Reader",
    "-o",
    join(cli.folder, "hi.wav"),
  ]);
  expect({ code, err }).toEqual({ code: 0, err: expect.stringMatching(/male-deep\n$/) });
});
