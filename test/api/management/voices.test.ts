/** Promise: members see the voices and consents of their organization, admins delete them, and other organizations do not learn of them. */
import { afterAll, beforeAll, expect, test } from "bun:test";
import type { Harness } from "../../harness.ts";
import { recording, standIn } from "../v1/voices/stand-in.ts";
import { invite, openAccountsHarness, type Person, refusalOf, signUp } from "./people.ts";

let harness: Harness;
let owner: Person;
let member: Person;
let outsider: Person;
beforeAll(async () => {
  harness = await openAccountsHarness({ environment: { LOQUAT_VOICES_MAX: "7" } });
  owner = await signUp(harness, "ada@example.com");
  member = await signUp(harness, "grace@example.com");
  outsider = await signUp(harness, "eve@example.com");
  await invite(owner, member, { organizationId: harness.organizationId, role: "member" });
});
afterAll(() => harness[Symbol.asyncDispose]());

const path = (voice = "") => `/api/organizations/${harness.organizationId}/voices${voice && `/${voice}`}`;
type List = { data: { id: string }[]; voices_max: number; cloning: string; blending: object[] };
const list = (person: Person) => person.json<List>(path());
const remove = (person: Person, voice: string) => person.ask(path(voice), undefined, { method: "DELETE" });

test("voices are listed with how many there may be, and whether they can be made", async () => {
  const none = { data: [], voices_max: 7, cloning: "not_installed", blending: [] };
  expect(await list(member)).toMatchObject(none);
  standIn(harness.parts);
  expect((await list(member)).cloning).toBe("available");
});

test("a voice is deleted by an admin, and not by a member or an outsider", async () => {
  const of = { organizationId: harness.organizationId, name: "Ada", model: "svc-tts1" };
  const { id } = await harness.parts.voices.create({
    ...of,
    durationMs: 3500,
    consent: "statement",
    parts: {},
  });
  expect((await list(member)).data).toMatchObject([
    { id, name: "Ada", duration_seconds: 3.5, consent: "statement" },
  ]);
  expect(await refusalOf(remove(member, id))).toBe("403 insufficient_role");
  expect(await refusalOf(remove(outsider, id))).toBe("404 not_found");
  expect(await refusalOf(outsider.ask(path()))).toBe("404 not_found");
  expect((await remove(owner, id)).status).toBe(204);
  expect(await refusalOf(remove(owner, id))).toBe("404 not_found");
  expect((await list(owner)).data).toEqual([]);
});

test("a consent is listed, and deleted by an admin, and not by a member or an outsider", async () => {
  const consents = `/api/organizations/${harness.organizationId}/voice-consents`;
  const drop = (person: Person, id: string) =>
    person.ask(`${consents}/${id}`, undefined, { method: "DELETE" });
  const of = { organizationId: harness.organizationId, name: "Ada", language: "en-GB" };
  const { id, createdAt } = await harness.parts.consents.create({ ...of, recording: recording(2) });
  const { data } = await member.json<{ data: object[] }>(consents);
  const fields = { object: "audio.voice_consent", id, name: "Ada", language: "en-GB" };
  expect(data).toEqual([{ ...fields, created_at: createdAt }]);
  expect(await refusalOf(drop(member, id))).toBe("403 insufficient_role");
  expect(await refusalOf(drop(outsider, id))).toBe("404 not_found");
  expect(await refusalOf(outsider.ask(consents))).toBe("404 not_found");
  expect((await drop(owner, id)).status).toBe(204);
  expect(await refusalOf(drop(owner, id))).toBe("404 not_found");
});
