/**
 * Promise: the members of an organization see its dictionary and its admins edit it; its speech is read with it at once, that
 * of others never, and what is read is charged where it is longer than what was sent.
 */
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { errorOf, type Harness } from "../../harness.ts";
import { invite, openAccountsHarness, type Person, refusalOf, signUp } from "./people.ts";

let harness: Harness;
let owner: Person;
let member: Person;
let outsider: Person;
let otherKey: string;
beforeAll(async () => {
  harness = await openAccountsHarness();
  owner = await signUp(harness, "ada@example.com");
  member = await signUp(harness, "grace@example.com");
  outsider = await signUp(harness, "eve@example.com");
  await invite(owner, member, { organizationId: harness.organizationId, role: "member" });
  const { accounts, ledger } = harness.parts;
  const { id } = await accounts.createOrganization("Other");
  await ledger.grant({
    ...{ id: "grant_other", organizationId: id, kind: "adjustment", amountMicros: 1e9 },
    ...{ createdAt: 0, expiresAt: null, topUpId: null },
  });
  const project = (await accounts.createProject(id, "Other project")).id;
  const made = { projectId: project, name: "other", environment: "live", expiresAt: null } as const;
  otherKey = (await accounts.createKey({ ...made, scopes: ["speech:create"] })).secret;
});
afterAll(() => harness[Symbol.asyncDispose]());

const path = () => `/api/organizations/${harness.organizationId}/pronunciations`;
const set = (body: object, person = owner) => person.ask(path(), body, { method: "PUT" });
type Word = { word: string; alias: string | null; phonemes: string | null };
const list = async (person = owner) => (await person.json<{ data: Word[] }>(path())).data;
const remove = (word: string) => owner.ask(`${path()}/remove`, { word });

const speak = (input: string, key = harness.key) =>
  harness.ask("/v1/audio/speech", {
    method: "POST",
    headers: { authorization: `Bearer ${key}` },
    body: JSON.stringify({ model: "svc-tts1", voice: "male-classic", response_format: "pcm", input }),
  });
async function spoken(input: string, key?: string): Promise<Uint8Array> {
  const response = await speak(input, key);
  expect(response.status).toBe(200);
  return response.bytes();
}

test("a word is set, listed, changed and removed", async () => {
  expect(await (await set({ word: "nginx", alias: "engine x" })).json()).toEqual({
    ...{ object: "pronunciation", word: "nginx", alias: "engine x", phonemes: null },
  });
  await set({ word: "NGINX", phonemes: "ˈɛndʒɪnˌɛks" });
  expect(await list(member)).toMatchObject([{ word: "NGINX", alias: null, phonemes: "ˈɛndʒɪnˌɛks" }]);
  expect((await remove("nginx")).status).toBe(204);
  expect(await refusalOf(remove("nginx"))).toBe("404 not_found");
  expect(await list()).toEqual([]);
});

test("its speech is read with it at once, and that of another organization is not", async () => {
  const input = "We use nginx here.";
  const [before, expected] = [await spoken(input), await spoken("We use engine x here.")];
  await set({ word: "nginx", alias: "engine x" });
  expect(await spoken(input)).toEqual(expected);
  expect(await spoken(input, otherKey)).toEqual(before);
  await remove("nginx");
  expect(await spoken(input)).toEqual(before);
});

test("word times name the word as it was written", async () => {
  await set({ word: "nginx", alias: "engine x" });
  const body = { model: "svc-tts1", voice: "male-classic", input: "We use nginx here." };
  const response = await harness.ask("/dev/captioned_speech", { method: "POST", body: JSON.stringify(body) });
  const { timestamps } = (await response.json()) as { timestamps: { word: string }[] };
  expect(timestamps.map(({ word }) => word)).toEqual(["We", "use", "nginx", "here"]);
  await remove("nginx");
});

test("what is read is charged where it is longer, and bounded like what is sent", async () => {
  const characters = async () => (await harness.parts.ledger.totals(harness.organizationId)).characters;
  const long = "a long reading ".repeat(13).trim();
  await set({ word: "zz", alias: long });
  const before = await characters();
  await spoken("zz zz");
  expect((await characters()) - before).toBe(2 * long.length + 1);
  const error = await errorOf(await speak("zz ".repeat(2000)));
  expect(error).toMatchObject({ status: 422, code: "validation_error", param: "input" });
  expect(error.message).toContain("readings of the dictionary");
  expect((await characters()) - before).toBe(2 * long.length + 1);
  await remove("zz");
});

describe("a file", () => {
  const importing = (text: string, more: object = {}, person = owner) =>
    person.ask(`${path()}/import`, { text, ...more });

  test("sets all its words, and with `replace` removes all others, with one event", async () => {
    await set({ word: "nginx", alias: "old" });
    expect(await (await importing("word,alias\nNGINX,engine x\nSQL,sequel")).json()).toEqual({
      ...{ object: "pronunciation.import", imported: 2, removed: 0 },
    });
    expect((await list()).map(({ word, alias }) => `${word} ${alias}`)).toEqual([
      "NGINX engine x",
      "SQL sequel",
    ]);
    expect(
      await (await importing('[{"word":"SQL","alias":"S Q L"}]', { replace: true })).json(),
    ).toMatchObject({
      ...{ imported: 1, removed: 1 },
    });
    expect(await list()).toMatchObject([{ word: "SQL", alias: "S Q L" }]);
    const { query, tables } = harness.parts.database;
    const events = (await query.select().from(tables.auditEvent)).filter(({ changes }) =>
      changes.includes("imported"),
    );
    expect(events.map(({ type, changes }) => `${type} ${changes}`)).toEqual([
      'pronunciation.updated [{"field":"imported","before":null,"after":2},{"field":"removed","before":null,"after":0}]',
      'pronunciation.updated [{"field":"imported","before":null,"after":1},{"field":"removed","before":null,"after":1}]',
    ]);
    await remove("SQL");
  });

  test("with a wrong line stores nothing, and each is named", async () => {
    const error = await errorOf(await importing("word,alias\nnginx,engine x\n!?,a\nb,"));
    expect(error).toMatchObject({ status: 422, code: "validation_error", param: "line 3" });
    expect((error.details as { field: string }[]).map(({ field }) => field)).toEqual(["line 3", "line 4"]);
    expect(await list()).toEqual([]);
  });

  test("is bounded, in characters and in words, with those that stay", async () => {
    const wordsFrom = (first: number, amount: number) =>
      `word,alias\n${Array.from({ length: amount }, (_, index) => `w${first + index},x`).join("\n")}`;
    expect(await refusalOf(importing(`word,alias\na,${"b".repeat(200_000)}`))).toBe("422 validation_error");
    expect(await refusalOf(importing(wordsFrom(0, 1001)))).toBe("422 validation_error");
    expect((await importing(wordsFrom(0, 1000))).status).toBe(200);
    expect(await refusalOf(importing(wordsFrom(1000, 1)))).toBe("422 validation_error");
    expect((await importing(wordsFrom(1000, 1000), { replace: true })).status).toBe(200);
    expect(await list()).toHaveLength(1000);
    expect((await importing("word,alias\na,b", { replace: true })).status).toBe(200);
    await remove("a");
  });

  test("is imported by admins only", async () => {
    expect(await refusalOf(importing("word,alias\na,b", {}, member))).toBe("403 insufficient_role");
    expect(await refusalOf(importing("word,alias\na,b", {}, outsider))).toBe("404 not_found");
  });
});

describe("refused", () => {
  test.each<[string, object, string]>([
    ["a word of 65 characters", { word: "a".repeat(65), alias: "b" }, "word"],
    ["a word of signs", { word: "!?", alias: "b" }, "word"],
    ["a reading of 201 characters", { word: "a", alias: "b".repeat(201) }, "alias"],
    ["no reading", { word: "a" }, "alias"],
    ["two readings", { word: "a", alias: "b", phonemes: "b" }, "alias"],
    ["phonemes that are none", { word: "a", phonemes: "<b>" }, "phonemes"],
  ])("%s", async (_name, body, param) => {
    expect(await errorOf(await set(body))).toMatchObject({ status: 422, code: "validation_error", param });
    expect(await list()).toEqual([]);
  });

  test("members who are no admins, and people of other organizations", async () => {
    expect(await refusalOf(set({ word: "a", alias: "b" }, member))).toBe("403 insufficient_role");
    expect(await refusalOf(set({ word: "a", alias: "b" }, outsider))).toBe("404 not_found");
    expect(await refusalOf(outsider.ask(path()))).toBe("404 not_found");
    expect(await list()).toEqual([]);
  });
});
