/** Promise: Deepgram's own libraries list models and projects, and get tokens for a short time, when only the address and the key change. */
import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from "bun:test";
import { DeepgramClient } from "@deepgram/sdk";
import { installedFamilies } from "../../../../src/engine/families/installed.ts";
import { type Harness, openHarness } from "../../../harness.ts";
import { openProgram, type Program } from "./program.ts";
import { sdkCommand } from "./python-sdks.ts";

setDefaultTimeout(120_000);

const { command, unless } = sdkCommand("sdk_lists.py");
const hears = installedFamilies().has("sphinx");

let harness: Harness;
let python: Program;
beforeAll(async () => {
  harness = await openHarness({ plan: "unmetered" });
  if (command) python = openProgram([...command, harness.url, harness.key], import.meta.dir);
});
afterAll(async () => {
  await python?.[Symbol.asyncDispose]();
  await harness[Symbol.asyncDispose]();
});

const client = (key: { apiKey: string } | { accessToken: string } = { apiKey: harness.key }) =>
  new DeepgramClient({ ...key, baseUrl: harness.url, maxRetries: 0 });

describe("@deepgram/sdk 5.13", () => {
  test("manage.v1.models.list: the voices as models that speak", async () => {
    const { stt = [], tts = [] } = await client().manage.v1.models.list();
    expect(tts.find(({ uuid }) => uuid === "female-crisp")).toMatchObject({
      ...{ name: "Greta", canonical_name: "female-crisp", languages: ["de"], architecture: "svc-tts1" },
      metadata: { accent: "de", tags: ["female", "crisp"] },
    });
    if (hears)
      expect(stt).toMatchObject([{ uuid: "svc-stt1", batch: true, streaming: true, languages: ["en"] }]);
  });

  test("manage.v1.models.get: a model by our name and by Deepgram's", async () => {
    expect(await client().manage.v1.models.get("male-deep")).toMatchObject({ name: "Rowan" });
    expect(await client().manage.v1.models.get("aura-2-zeus-en")).toMatchObject({ uuid: "male-deep" });
    if (hears) expect(await client().manage.v1.models.get("nova-3")).toMatchObject({ uuid: "svc-stt1" });
    const failed = await client()
      .manage.v1.models.get("nothing")
      .catch((error) => error);
    expect(failed).toMatchObject({ statusCode: 404, body: { code: "model_not_found" } });
  });

  test("manage.v1.projects.list, manage.v1.projects.get: the project of the key", async () => {
    const { projects = [] } = await client().manage.v1.projects.list();
    expect(projects).toMatchObject([{ name: "Default" }]);
    const id = projects[0]!.project_id!;
    expect(await client().manage.v1.projects.get(id)).toMatchObject({ project_id: id, name: "Default" });
    const other = client().manage.v1.projects.get("proj_other");
    expect(await other.catch((error) => error)).toMatchObject({ statusCode: 404 });
  });

  test("auth.v1.tokens.grant: a token that stands for the key until it expires, and grants no other", async () => {
    const { access_token: accessToken, expires_in: seconds } = await client().auth.v1.tokens.grant({
      ttl_seconds: 60,
    });
    expect(seconds).toBe(60);
    const other = client({ accessToken });
    expect((await other.manage.v1.projects.list()).projects).toHaveLength(1);
    const refused = await other.auth.v1.tokens.grant().catch((error) => error);
    expect(refused).toMatchObject({ statusCode: 403, body: { code: "insufficient_scope" } });
    harness.clock.pass(61_000);
    const late = await other.manage.v1.projects.list().catch((error) => error);
    expect(late).toMatchObject({ statusCode: 401, body: { code: "api_key_expired" } });
  });

  test("any call: a wrong key is an error of status 401", async () => {
    const failed = await client({ apiKey: "nothing" })
      .manage.v1.models.list()
      .catch((error) => error);
    expect(failed).toMatchObject({ statusCode: 401, body: { err_code: "INVALID_AUTH" } });
  });
});

describe.skipIf(!command)(`deepgram-sdk 7.17 for Python${unless}`, () => {
  const done = async (call: string, ...given: unknown[]) => {
    const { answer, complaints } = await python.ask(call, ...given);
    expect(complaints).toEqual([]);
    return answer;
  };

  test("manage.v1.models.list, manage.v1.models.get: models, and one by Deepgram's name", async () => {
    expect(await done("deepgram-models")).toContain("female-warm");
    expect(await done("deepgram-model", "aura-2-thalia-en")).toBe("female-warm");
  });

  test("manage.v1.projects.list, manage.v1.projects.get: the project of the key", async () => {
    expect(await done("deepgram-projects")).toBe("Default");
  });

  test("auth.v1.tokens.grant: a token with which the library asks in place of the key", async () => {
    expect(await done("deepgram-grant")).toEqual({ seconds: 45, projects: 1 });
  });
});
