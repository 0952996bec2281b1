/** What voices of one's own must do on every database: each organization has its own, bounded, encrypted, and gone at once. */
import { describe, expect, test } from "bun:test";
import { openAccounts } from "../../src/accounts/accounts.ts";
import type { Database } from "../../src/db/database.ts";
import { encodingBytes } from "../../src/voices/encoding.ts";
import { type NewVoice, openVoices, type Voices } from "../../src/voices/voices.ts";
import { heldClock } from "../harness.ts";
import type { AccountFixture } from "./accounts/fresh-accounts.ts";
import { twoOrganizations } from "./two-organizations.ts";

const SECRET = "a-secret-of-the-operator-that-is-long";

export function voiceContract(store: string, prepare: () => Promise<AccountFixture>) {
  describe(`${store}, voices`, () => {
    const clock = heldClock();
    let fixture: AccountFixture;
    let database: Database;
    let voices: Voices;
    let [mine, theirs] = ["", ""];

    const open = (configured: string | null, max = 2) =>
      openVoices(database, {
        clock,
        max,
        secrets: { configured, generated: () => openAccounts(database, clock).installationSecret() },
      });

    twoOrganizations(prepare, clock, (two) => {
      ({ fixture, database, mine, theirs } = two);
      voices = open(SECRET);
    });

    const data = Float32Array.from({ length: 8 }, (_, index) => index / 7);
    const recorded = (organizationId: string, name = "Ada"): NewVoice => ({
      ...{ organizationId, name, model: "svc-tts1", engine: "pocket" },
      ...{ durationMs: 3000, consent: "statement" },
      parts: {
        recording: Buffer.from("a recording of nobody"),
        consent: Buffer.from("I agree, said nobody"),
        "encoding:pocket": encodingBytes({ data, shape: [2, 4] }),
      },
    });

    test("each organization has its own voices, and does not find another's", async () => {
      const voice = await voices.create(recorded(mine));
      expect(voice.id).toMatch(/^voice_[0-9a-z]{24}$/);
      expect(await voices.list(mine)).toEqual([voice]);
      expect(await voices.list(theirs)).toEqual([]);
      expect(await voices.find(mine, voice.id)).toEqual(voice);
      expect(await voices.find(theirs, voice.id)).toBeNull();
      expect(await voices.remove(theirs, voice.id)).toBe(false);
      expect(await voices.find(mine, "voice_' or 1=1 --")).toBeNull();
    });

    test("what is kept of a voice is returned as it was, and stored in no readable form", async () => {
      const voice = await voices.create(recorded(mine));
      expect((await voices.read(voice, "recording"))!.toString()).toBe("a recording of nobody");
      expect(await voices.style(voice, "pocket")).toEqual({ data, shape: [2, 4], id: `${voice.id}/pocket` });
      expect(await voices.style(voice, "another")).toBeNull();
      const stored = await fixture.stored();
      expect(stored).not.toContain("recording of nobody");
      expect(stored).not.toContain("said nobody");
    });

    test("a voice that was deleted is gone on every node at once, with all that was kept of it", async () => {
      const other = open(SECRET);
      const voice = await voices.create(recorded(mine));
      await other.style(voice, "pocket");
      expect(await voices.remove(mine, voice.id)).toBe(true);
      expect(await voices.remove(mine, voice.id)).toBe(false);
      expect(await other.find(mine, voice.id)).toBeNull();
      expect(await voices.style(voice, "pocket")).toBeNull();
      expect(await other.read(voice, "consent")).toBeNull();
    });

    test("an organization has at most as many as the operator allows", async () => {
      await voices.create(recorded(mine, "one"));
      clock.pass(1);
      const second = await voices.create(recorded(mine, "two"));
      await expect(voices.create(recorded(mine, "three"))).rejects.toMatchObject({ code: "too_many_voices" });
      clock.pass(1);
      await voices.create(recorded(theirs));
      await voices.remove(mine, second.id);
      await voices.create(recorded(mine, "three"));
      expect((await voices.list(mine)).map(({ name }) => name)).toEqual(["one", "three"]);
    });

    test("voices that are made at the same time are not more than the operator allows", async () => {
      const all = ["a", "b", "c", "d", "e"].map((name) => voices.create(recorded(mine, name)));
      const made = (await Promise.allSettled(all)).filter(({ status }) => status === "fulfilled");
      const kept = await voices.list(mine);
      expect(kept.length).toBe(made.length);
      expect(kept.length).toBeLessThanOrEqual(2);
    });

    test("another engine's encoding is kept beside the first", async () => {
      const voice = await voices.create(recorded(mine));
      const encoding = encodingBytes({ data: data.subarray(0, 2), shape: [2] });
      await voices.keepEncoding(voice, "other", encoding);
      await voices.keepEncoding(voice, "other", encoding); // by two nodes at once
      expect((await voices.style(voice, "other"))!.shape).toEqual([2]);
    });

    test("voices encrypted with the generated secret open once another is configured, and not the other way", async () => {
      const before = await open(null).create(recorded(mine));
      expect((await voices.style(before, "pocket"))!.data).toEqual(data);
      const after = await voices.create(recorded(mine));
      for (const lost of [open(null), open(`${SECRET}-changed`)])
        await expect(lost.read(after, "recording")).rejects.toMatchObject({ code: "voice_unreadable" });
    });
  });
}
