/** Promise: clients fill their menus of voices and models: with a key always, without one where the operator allows it. */
import { afterEach, describe, expect, test } from "bun:test";
import { errorOf, type Harness, openHarness } from "../../harness.ts";

let harness: Harness;
afterEach(() => harness[Symbol.asyncDispose]());

type Listed = { voices: { id: string; name: string }[]; models: { id: string; name: string }[] };
const read = async (path: string, headers?: Record<string, string>) =>
  (await (await harness.ask(`/v1/audio/${path}`, headers ? { headers } : {})).json()) as Listed;
/** As clients without a key ask, some of which send the header nevertheless. */
const keyless = [{}, { authorization: "" }, { authorization: "Bearer " }, { authorization: "Bearer None" }];
const without = (path: string, headers: Record<string, string>) =>
  fetch(`${harness.url}/v1/audio/${path}`, { headers });

describe("with a key", () => {
  test("the voices have ids and names, or are ids only", async () => {
    harness = await openHarness({ plan: "unmetered" });
    const { voices } = await read("voices");
    expect(voices).toHaveLength(20);
    expect(voices[0]).toEqual({ id: "female-warm", name: "Ada", locale: "en-US", gender: "female" } as never);
    expect((await read("voices?legacy=true")).voices).toEqual(voices.map(({ id }) => id) as never);
    expect((await read("voices?legacy=false")).voices).toEqual(voices);
  });

  test("the models are those that synthesize, and their aliases except the empty one", async () => {
    harness = await openHarness({ plan: "unmetered" });
    await harness.parts.aliases.set({ kind: "model", name: "", targets: ["svc-tts1"], format: null });
    const ids = (await read("models")).models.map(({ id }) => id);
    expect(ids).toEqual(
      expect.arrayContaining(["svc-tts1", "svc-tts2", "tts-1", "gpt-4o-mini-tts", "kokoro"]),
    );
    expect(ids).not.toContain("whisper-1");
    expect(ids).not.toContain("");
    await harness.parts.aliases.remove("model", "kokoro");
    expect((await read("models")).models.map(({ id }) => id)).not.toContain("kokoro");
  });

  test("a prepaid organization finds its own models only", async () => {
    harness = await openHarness();
    expect((await read("models")).models.map(({ id }) => id)).toEqual(["svc-tts1", "svc-tts2"]);
    expect((await harness.ask("/v1/audio/models")).headers.get("cache-control")).toBe("private, no-cache");
  });
});

describe("without a key", () => {
  test("the lists are refused, unless the operator opens them", async () => {
    harness = await openHarness({ plan: "unmetered" });
    for (const path of ["voices", "models"])
      for (const headers of keyless)
        expect(await errorOf(await without(path, headers))).toMatchObject({
          status: 401,
          code: "missing_api_key",
        });
  });

  test("the open lists are those of the server's plan, and may be cached", async () => {
    harness = await openHarness({ plan: "unmetered", environment: { LOQUAT_PUBLIC_CATALOGUE: "1" } });
    for (const headers of keyless) {
      const response = await without("models", headers);
      expect([response.status, response.headers.get("cache-control")]).toEqual([200, "public, max-age=60"]);
      expect(response.headers.get("vary")).toBe("authorization");
      const { models } = (await response.json()) as Listed;
      expect(models.map(({ id }) => id)).toContain("tts-1");
      expect((await without("voices", headers)).status).toBe(200);
    }
  });

  test("a wrong key is refused, and the rest of the catalogue stays closed", async () => {
    harness = await openHarness({ environment: { LOQUAT_PUBLIC_CATALOGUE: "1" } });
    const { models } = (await (await without("models", {})).json()) as Listed;
    expect(models.map(({ id }) => id)).toEqual(["svc-tts1", "svc-tts2"]);
    const wrong = { authorization: "Bearer sk_live_nothing" };
    expect(await errorOf(await without("voices", wrong))).toMatchObject({
      status: 401,
      code: "invalid_api_key",
    });
    for (const path of ["models", "voices", "models/svc-tts1"])
      expect((await fetch(`${harness.url}/v1/${path}`)).status).toBe(401);
  });
});

test("a list that a client has is not sent again until it changes", async () => {
  harness = await openHarness({ plan: "unmetered" });
  const paths = ["/v1/models", "/v1/models?type=tts", "/v1/voices", "/v1/voices?language=en"];
  for (const path of [...paths, "/v1/audio/voices", "/v1/audio/models"]) {
    const ask = (tag: string) => harness.ask(path, { headers: { "if-none-match": tag } });
    const first = await harness.ask(path);
    const etag = first.headers.get("etag")!;
    expect([first.status, (await first.text()).length > 100]).toEqual([200, true]);
    for (const known of [etag, `W/${etag}`, `"other", ${etag}`, "*"]) {
      const again = await ask(known);
      expect([path, known, again.status, await again.text()]).toEqual([path, known, 304, ""]);
      expect(again.headers.get("etag")).toBe(etag);
    }
    expect((await ask('"other"')).status).toBe(200);
  }
  const before = (await harness.ask("/v1/models")).headers.get("etag")!;
  await harness.parts.aliases.set({ kind: "model", name: "mine", targets: ["svc-tts1"], format: null });
  const after = await harness.ask("/v1/models", { headers: { "if-none-match": before } });
  expect([after.status, await after.text()]).toEqual([200, expect.stringContaining('"mine"')]);
});
