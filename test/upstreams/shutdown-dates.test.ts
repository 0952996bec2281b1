/** Promise: an operator learns of the models of upstreams that end, with the day and the names that lead to them. */
import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from "bun:test";
import { openAccountsHarness, type Person, signUp } from "../api/management/people.ts";
import { type Cli, openCli } from "../cli/process.ts";
import type { Harness } from "../harness.ts";
import { openStandIn, respond, type StandIn } from "./stand-in.ts";

setDefaultTimeout(120_000);

const LISTED = ["tts-1", "whisper-1", "gpt-transcribe", "constructor"];
let far: StandIn;
beforeAll(() => {
  far = openStandIn((_request, reply) =>
    respond(reply, 200, { body: JSON.stringify({ data: LISTED.map((id) => ({ id })) }) }),
  );
});
afterAll(() => far[Symbol.dispose]());

describe("on the dashboard and in the catalogue", () => {
  let harness: Harness;
  let operator: Person;
  beforeAll(async () => {
    harness = await openAccountsHarness();
    operator = await signUp(harness, "root@example.com");
  });
  afterAll(() => harness[Symbol.asyncDispose]());

  test("a model that ends has its day and the names that lead to it, another one has none", async () => {
    const alias = { kind: "model", name: "dictation", targets: ["whisper-1", "svc-stt1"] };
    const models = LISTED.slice(0, 3);
    const body = { name: "far", preset: "openai", urls: [far.url], voices: ["ada"], models };
    await operator.json("/api/operator/upstreams", body);
    expect((await operator.ask("/api/operator/aliases", alias, { method: "PUT" })).status).toBe(200);
    const { data } = (await operator.json("/api/operator/upstreams")) as { data: { models: object[] }[] };
    expect(data[0]!.models).toMatchObject([
      { id: "tts-1", shutdown_date: "2027-01-06", names: [] },
      { id: "whisper-1", shutdown_date: "2027-02-26", names: ["dictation"] },
      { id: "gpt-transcribe", shutdown_date: null, names: [] },
    ]);
    const dates = harness.parts.catalogue.entries.flatMap(({ id, manifest: { shutdown_date } }) =>
      models.includes(id) ? [[id, shutdown_date]] : [],
    );
    expect(Object.fromEntries(dates)).toEqual({
      ...{ "tts-1": "2027-01-06", "whisper-1": "2027-02-26", "gpt-transcribe": null },
    });
  });
});

describe("loquat doctor", () => {
  let cli: Cli;
  beforeAll(async () => {
    cli = openCli();
    const server = await cli.serve({ LOG_LEVEL: "silent" });
    await server.stop();
  });
  afterAll(() => cli[Symbol.dispose]());

  test("names the models that end, the first one first, and says nothing where none does", async () => {
    const { out: before } = await cli.runInTurn(["doctor", "--json"]);
    expect(JSON.parse(before).ending).toEqual([]);
    const model = ["whisper-1", "tts-1=house-voice", "gpt-transcribe"];
    const options = ["--url", far.url, "--api", "openai", "--voice", "ada", "--model", ...model];
    expect(await cli.runInTurn(["upstream", "add", "far", ...options])).toMatchObject({ code: 0 });
    expect(await cli.runInTurn(["alias", "set", "dictation", "whisper-1"])).toMatchObject({ code: 0 });
    const { out } = await cli.runInTurn(["doctor"]);
    expect(out.split("\n").filter((line) => /^ {2}ends|Names that lead/.test(line))).toEqual([
      "  ends     house-voice of far on 2027-01-06",
      "  ends     whisper-1 of far on 2027-02-26",
      "           Names that lead to it: dictation",
    ]);
  });
});
