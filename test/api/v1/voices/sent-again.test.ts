/** Promise: a voice whose answer was lost is made and charged once, by Idempotency-Key and by the count of a client. */
import { afterAll, afterEach, beforeEach, describe, expect, test } from "bun:test";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { kokoroContents } from "../../../../testing/packages/families/voices.ts";
import { packageOf, storePackage } from "../../../../testing/packages/model-store.ts";
import { errorOf, type Harness, openHarness } from "../../../harness.ts";
import { recording, standIn, voiceForm } from "./stand-in.ts";

const weights = mkdtempSync(join(tmpdir(), "loquat-voices-"));
afterAll(() => rmSync(weights, { recursive: true, force: true }));
let harness: Harness;
/** `mixes`: with an engine that mixes voices, instead of one that clones them. */
async function open(mixes: boolean): Promise<void> {
  const contents = kokoroContents();
  if (mixes) await storePackage(weights, packageOf("kokoro-82m", "kokoro", { contents }), contents);
  const environment = { LOQUAT_VOICES_MAX: "1", ...(mixes ? { LOQUAT_WEIGHTS: weights } : {}) };
  harness = await openHarness({ environment });
  if (!mixes) standIn(harness.parts);
}
afterEach(() => harness[Symbol.asyncDispose]());

const KEY = { "idempotency-key": "voice-17" };
const BLEND = { name: "Both", blend: "female-warm(2)+male-deep(1)" };
type Fields = Parameters<typeof voiceForm>[0];
const send = (init: RequestInit, headers: Record<string, string>) =>
  harness.ask("/v1/audio/voices", { ...init, headers: { ...(init.headers as object), ...headers } });
const record = (headers: Record<string, string>, fields: Fields = {}) => send(voiceForm(fields), headers);
const blend = (headers: Record<string, string>, fields: object = {}) =>
  send(
    {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify({ ...BLEND, ...fields }),
    },
    headers,
  );
const state = async () => {
  const { voices, ledger } = harness.parts;
  const { balanceMicros } = await ledger.credit(harness.organizationId);
  return { ids: (await voices.list(harness.organizationId)).map(({ id }) => id), balanceMicros };
};
const again = (response: Response) => response.headers.get("idempotent-replayed");

const first = { "x-stainless-retry-count": "0" };
const second = { "x-stainless-retry-count": "1" };

describe.each([
  ["a recording", record, false],
  ["a blend", blend, true],
] as const)("a voice of %s", (_, make, mixes) => {
  beforeEach(() => open(mixes));

  test.each([
    [KEY, KEY],
    [first, second],
  ])(
    "is the same voice when %p is sent again, also where there is no room for another",
    async (one, other) => {
      const made = await make(one);
      expect([made.status, again(made)]).toEqual([200, null]);
      const voice = await made.json();
      const before = await state();
      const repeated = await make(other);
      expect([repeated.status, again(repeated)]).toEqual([200, "true"]);
      expect(await repeated.json()).toEqual(voice);
      expect(await state()).toEqual(before);
    },
  );

  test("is refused for another content under the same key, and without room under another key", async () => {
    expect((await make(KEY)).status).toBe(200);
    const before = await state();
    const reused = await errorOf(await make(KEY, { name: "Other" }));
    expect(reused).toMatchObject({ status: 409, code: "idempotency_key_reused" });
    const full = await errorOf(await make({ "idempotency-key": "voice-18" }));
    expect(full).toMatchObject({ code: "too_many_voices" });
    expect(await state()).toEqual(before);
  });

  test("is made again where it was deleted meanwhile, without a charge", async () => {
    const { id } = (await (await make(KEY)).json()) as { id: string };
    const { balanceMicros } = await state();
    await harness.ask(`/v1/audio/voices/${id}`, { method: "DELETE" });
    expect(again(await make(KEY))).toBe("true");
    expect(await state()).toEqual({ ids: [id], balanceMicros });
  });
});

describe("a voice of a recording", () => {
  beforeEach(() => open(false));

  test("another recording under the same key is refused", async () => {
    expect((await record(KEY)).status).toBe(200);
    const other = await record(KEY, { audio_sample: recording(5) });
    expect(await errorOf(other)).toMatchObject({ status: 409, code: "idempotency_key_reused" });
  });

  test("a key that was refused makes a voice later", async () => {
    expect((await record(KEY, { audio_sample: recording(1) })).status).toBe(400);
    const made = await record(KEY);
    expect([made.status, again(made)]).toEqual([200, null]);
  });
});
