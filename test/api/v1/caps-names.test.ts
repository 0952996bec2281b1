/** Promise: a key uses the models and voices that it may, at the addresses where it may, and lists no others. */
import { afterEach, beforeEach, describe, expect, test } from "bun:test";
import type { NewRestrictions } from "../../../src/restrictions.ts";
import { errorOf, type Harness, openHarness } from "../../harness.ts";
import { drain, good } from "./free.ts";

let harness: Harness;
beforeEach(async () => {
  harness = await openHarness({ plan: "unmetered", environment: { LOQUAT_PROXIES: "127.0.0.1,::1" } });
});
afterEach(() => harness[Symbol.asyncDispose]());

const ownKey = async () => (await harness.parts.accounts.listKeys())[0]!;
async function restrict(restrictions: NewRestrictions, of: "key" | "project" = "key"): Promise<void> {
  const { accounts } = harness.parts;
  const { id, project_id } = await ownKey();
  await (of === "key"
    ? accounts.updateKey(id, { restrictions })
    : accounts.updateProject(project_id, { restrictions }));
  harness.clock.pass(1001);
}
const speak = (fields: object = {}, headers: Record<string, string> = {}) =>
  harness.ask("/v1/audio/speech", { method: "POST", body: JSON.stringify({ ...good, ...fields }), headers });
const told = async (response: Response) => {
  const { status, code, message } = await errorOf(response);
  return { status, code, message };
};
const idsOf = async (path: string, list = "data") => {
  const body = (await (await harness.ask(path)).json()) as Record<string, { id: string }[]>;
  return body[list]!.map(({ id }) => id);
};
const served = async (response: Response) => {
  expect(response.status).toBe(200);
  await drain(response);
};
const used = async () => (await harness.parts.ledger.totals(harness.organizationId)).costMicros;

describe("models", () => {
  test("of an allow list are the only ones, by whatever name", async () => {
    await restrict({ models: { mode: "allow_list", ids: ["svc-stt1"] } });
    const before = await used();
    expect(await told(await speak())).toEqual({
      status: 403,
      code: "model_not_allowed",
      message: "The model svc-tts1 is not allowed for this key. It may use svc-stt1.",
    });
    expect((await told(await speak({ model: "tts-1" }))).message).toBe(
      "The model tts-1 (svc-tts1) is not allowed for this key. It may use svc-stt1.",
    );
    expect(await used()).toBe(before);
    await restrict({ models: { mode: "allow_list", ids: ["svc-tts1"] } });
    await served(await speak({ model: "tts-1" }));
  });

  test("of a deny list are the others", async () => {
    await restrict({ models: { mode: "deny_list", ids: ["svc-tts1"] } });
    expect((await told(await speak())).message).toBe(
      "The model svc-tts1 is not allowed for this key. It may use all but svc-tts1.",
    );
    await restrict({ models: { mode: "deny_list", ids: ["svc-stt1", "no-such-model"] } });
    await served(await speak());
  });

  test("must be allowed for the project too", async () => {
    await restrict({ models: { mode: "allow_list", ids: ["svc-tts1"] } });
    await restrict({ models: { mode: "deny_list", ids: ["svc-tts1"] } }, "project");
    expect((await told(await speak())).message).toMatch(/ is not allowed for this project\. /);
  });

  test("that are not allowed are not listed, with their aliases and voices", async () => {
    const [all, voices] = [await idsOf("/v1/models"), await idsOf("/v1/voices")];
    expect(all).toContain("svc-tts1");
    expect(all).toContain("tts-1");
    expect(voices).not.toEqual([]);
    await restrict({ models: { mode: "allow_list", ids: ["svc-stt1"] } });
    const left = await idsOf("/v1/models");
    expect(left).toContain("svc-stt1");
    expect(left).toContain("whisper-1");
    expect(left.filter((id) => /tts/.test(id))).toEqual([]);
    expect((await harness.ask("/v1/models/svc-tts1")).status).toBe(404);
    expect(await idsOf("/v1/voices")).toEqual([]);
    expect(await idsOf("/v1/audio/voices", "voices")).toEqual([]);
    expect(await idsOf("/v1/audio/models", "models")).toEqual([]);
    await restrict({ models: { mode: "deny_list", ids: [] } });
    expect(await idsOf("/v1/models")).toEqual(all);
  });
});

describe("voices", () => {
  test("that are not allowed are refused and not listed, nor spoken in a blend", async () => {
    await restrict({ voices: { mode: "allow_list", ids: ["female-warm"] } });
    expect(await idsOf("/v1/voices")).toEqual(["female-warm"]);
    expect(await told(await speak())).toEqual({
      status: 403,
      code: "model_not_allowed",
      message: "The voice male-classic is not allowed for this key. It may use female-warm.",
    });
    await served(await speak({ voice: "female-warm" }));
    expect((await speak({ voice: "female-warm+male-classic" })).status).toBeOneOf([400, 403]);
  });

  test("are checked by their ids, whatever a request calls them", async () => {
    await restrict({ voices: { mode: "deny_list", ids: ["female-warm"] } });
    const [names] = [harness.parts.catalogue.voices.find(({ id }) => id === "female-warm")!];
    for (const name of [names.id, ...names.aliases])
      expect((await told(await speak({ voice: name }))).code).toBe("model_not_allowed");
    await served(await speak());
  });
});

describe("addresses", () => {
  const from = (address: string) => ({ "x-forwarded-for": address });

  test("are those of clients behind trusted proxies, and refuse all routes of a key", async () => {
    await restrict({ addresses: ["203.0.113.0/24", " 2001:DB8::1 "] });
    await served(await speak({}, from("203.0.113.7")));
    await served(await speak({}, from("2001:db8::1")));
    expect(await told(await speak({}, from("198.51.100.7")))).toEqual({
      status: 403,
      code: "address_not_allowed",
      message: "This key may not be used at 198.51.100.7.",
    });
    for (const path of ["/v1/models", "/v1/voices", "/v1/me"]) {
      expect((await errorOf(await harness.ask(path))).code).toBe("address_not_allowed");
      expect((await harness.ask(path, { headers: from("203.0.113.7") })).status).toBe(200);
    }
  });

  test("come before the scope, the limits and the budget", async () => {
    await restrict({ budget: { limit_micros: 0, interval: "day" }, addresses: ["203.0.113.7"] });
    expect((await told(await speak())).code).toBe("address_not_allowed");
    expect((await told(await speak({}, from("203.0.113.7")))).code).toBe("key_budget_reached");
  });
});
