/** Promise: ElevenLabs' own libraries list voices and models, read the account, and make and delete voices, when only the address and the key change. */
import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from "bun:test";
import { ElevenLabsClient } from "@elevenlabs/elevenlabs-js";
import { type Harness, openHarness } from "../../../harness.ts";
import { recording, STATEMENT, standIn } from "../voices/stand-in.ts";
import { openProgram, type Program } from "./program.ts";
import { sdkCommand } from "./python-sdks.ts";

setDefaultTimeout(120_000);

const { command, unless } = sdkCommand("sdk_lists.py");
const OF = { name: "Me", description: "mine", labels: { consent: STATEMENT, language: "en" } };

let harness: Harness;
let python: Program;
beforeAll(async () => {
  harness = await openHarness({ plan: "unmetered" });
  standIn(harness.parts);
  if (command) python = openProgram([...command, harness.url, harness.key], import.meta.dir);
});
afterAll(async () => {
  await python?.[Symbol.asyncDispose]();
  await harness[Symbol.asyncDispose]();
});

const client = (apiKey = harness.key) =>
  new ElevenLabsClient({ apiKey, baseUrl: harness.url, maxRetries: 0 });

describe("@elevenlabs/elevenlabs-js 2.73", () => {
  test("voices.getAll: lists the voices of the catalogue", async () => {
    const { voices } = await client().voices.getAll();
    expect(voices.find(({ voiceId }) => voiceId === "female-warm")).toMatchObject({
      ...{
        name: "Ada",
        category: "premade",
        isOwner: false,
        highQualityBaseModelIds: ["svc-tts1", "svc-tts2"],
      },
      labels: { gender: "female", language: "en", accent: "en-US" },
    });
  });

  test("voices.search: finds voices page by page", async () => {
    const found = await client().voices.search({ search: "ada", includeTotalCount: true });
    expect(found).toMatchObject({ hasMore: false, totalCount: 1, voices: [{ voiceId: "female-warm" }] });
    const names: (string | undefined)[] = [];
    let nextPageToken: string | undefined;
    do {
      const asked = { pageSize: 6, sort: "name", ...(nextPageToken && { nextPageToken }) };
      const page = await client().voices.search(asked);
      names.push(...page.voices.map(({ name }) => name));
      nextPageToken = page.nextPageToken ?? undefined;
      expect(page.hasMore).toBe(nextPageToken !== undefined);
    } while (nextPageToken);
    expect(names.length).toBe(20);
    expect(names.toSorted((one, other) => one!.localeCompare(other!))).toEqual(names);
  });

  test("voices.get, voices.settings.get: a voice by our id and by ElevenLabs' id", async () => {
    expect((await client().voices.get("male-deep")).name).toBe("Rowan");
    expect((await client().voices.get("21m00Tcm4TlvDq8ikWAM")).voiceId).toBe("female-warm");
    expect(await client().voices.settings.get("male-deep")).toMatchObject({ speed: 1, stability: 0.5 });
    expect(await client().voices.settings.getDefault()).toMatchObject({ similarityBoost: 0.75 });
  });

  test("voices.get: an unknown voice is an error with its status and our code", async () => {
    const failed = await client()
      .voices.get("unknown")
      .catch((error) => error);
    expect(failed).toMatchObject({
      statusCode: 404,
      body: { detail: { status: "voice_not_found", code: "invalid_voice" } },
    });
  });

  test("models.list: says which languages each model speaks", async () => {
    const models = await client().models.list();
    expect(models.map(({ modelId }) => modelId)).toEqual(["svc-tts1", "svc-tts2"]);
    expect(models[0]).toMatchObject({ canDoTextToSpeech: true, maximumTextLengthPerRequest: 8000 });
    expect(models[0]!.languages).toContainEqual({ languageId: "de", name: "German" });
  });

  test("user.get, user.subscription.get: the terms of the organization", async () => {
    const subscription = await client().user.subscription.get();
    expect(subscription).toMatchObject({ tier: "unmetered", status: "active", voiceLimit: 100 });
    expect(subscription.characterLimit - subscription.characterCount).toBe(1_000_000_000);
    const user = await client().user.get();
    expect(user).toMatchObject({ workspaceId: harness.organizationId, subscription: { tier: "unmetered" } });
  });

  test("voices.ivc.create, voices.delete: makes a voice of a recording, and deletes it", async () => {
    const file = new File([recording(4)], "me.wav", { type: "audio/wav" });
    const made = await client().voices.ivc.create({
      ...OF,
      labels: JSON.stringify(OF.labels),
      files: [file],
    });
    expect(made).toEqual({ voiceId: expect.stringMatching(/^voice_/), requiresVerification: false });
    const voice = await client().voices.get(made.voiceId);
    expect(voice).toMatchObject({ name: "Me", category: "cloned", isOwner: true });
    expect((await client().voices.search({ category: "cloned" })).voices).toMatchObject([{ name: "Me" }]);
    expect(await client().voices.delete(made.voiceId)).toEqual({ status: "ok" });
    expect((await client().voices.search({ voiceType: "personal" })).totalCount).toBe(0);
  });

  test("tokens.singleUse.create: a token that stands for the key once", async () => {
    const { token } = await client().tokens.singleUse.create("realtime_scribe");
    expect((await client(token).user.get()).workspaceId).toBe(harness.organizationId);
    const again = await client(token)
      .user.get()
      .catch((error) => error);
    expect(again).toMatchObject({ statusCode: 401, body: { detail: { status: "invalid_api_key" } } });
  });

  test("any call: a wrong key is an error of status 401", async () => {
    const failed = await client("sk_live_unknown")
      .models.list()
      .catch((error) => error);
    expect(failed).toMatchObject({ statusCode: 401, body: { detail: { status: "invalid_api_key" } } });
  });
});

describe.skipIf(!command)(`elevenlabs 2.78 for Python${unless}`, () => {
  const done = async (call: string, ...given: unknown[]) => {
    const { answer, complaints } = await python.ask(call, ...given);
    expect(complaints).toEqual([]);
    return answer;
  };

  test("voices.get_all, voices.get: lists voices, and reads one", async () => {
    expect(await done("voices")).toContain("female-warm");
    expect(await done("voice", "hpp4J3VqNfWAUOO0d1Us")).toMatchObject({ name: "Ada", category: "premade" });
  });

  test("voices.search: finds voices by name", async () => {
    expect(await done("search", "Ada")).toEqual({ ids: ["female-warm"], has_more: false, total: 1 });
  });

  test("voices.settings.get, voices.settings.get_default: what voices begin with", async () => {
    expect(await done("settings", "male-deep")).toEqual([1, 1]);
  });

  test("models.list: the models that speak", async () => {
    expect(await done("models")).toEqual(["svc-tts1", "svc-tts2"]);
  });

  test("user.get, user.subscription.get: the terms of the organization", async () => {
    expect(await done("user")).toMatchObject({ tier: "unmetered", workspace: harness.organizationId });
  });

  test("voices.ivc.create, voices.delete: makes a voice of a recording, and deletes it", async () => {
    const wav = Buffer.from(recording(4)).toString("base64");
    expect(await done("clone", wav, OF.labels)).toMatchObject({ verify: false, status: "ok" });
  });

  test("voices.ivc.create: without consent it is refused by name", async () => {
    const wav = Buffer.from(recording(4)).toString("base64");
    expect(await done("clone", wav, null)).toMatchObject({ status: 422, param: "labels.consent" });
  });
});
