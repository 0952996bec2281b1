/** What consents must do on every database: each organization has its own, bounded, encrypted, in pages, and gone at once. */
import { describe, expect, test } from "bun:test";
import { openAccounts } from "../../src/accounts/accounts.ts";
import type { Database } from "../../src/db/database.ts";
import { type Consents, openConsents } from "../../src/voices/consents.ts";
import { heldClock } from "../harness.ts";
import type { AccountFixture } from "./accounts/fresh-accounts.ts";
import { twoOrganizations } from "./two-organizations.ts";

const SECRET = "a-secret-of-the-operator-that-is-long";
const WHOLE = { after: null, limit: 100 };

export function consentContract(store: string, prepare: () => Promise<AccountFixture>) {
  describe(`${store}, consents`, () => {
    const clock = heldClock();
    let fixture: AccountFixture;
    let database: Database;
    let consents: Consents;
    let [mine, theirs] = ["", ""];

    const open = (configured: string | null) =>
      openConsents(database, {
        clock,
        max: 3,
        secrets: { configured, generated: () => openAccounts(database, clock).installationSecret() },
      });

    twoOrganizations(prepare, clock, (two) => {
      ({ fixture, database, mine, theirs } = two);
      consents = open(SECRET);
    });

    const make = async (organizationId: string, name = "Ada") => {
      clock.pass(1);
      const recording = Buffer.from("I agree to this voice");
      return consents.create({ organizationId, name, language: "en-GB", recording });
    };

    test("each organization has its own, and neither finds nor changes another's", async () => {
      const consent = await make(mine);
      expect(consent.id).toMatch(/^cons_[0-9a-z]{24}$/);
      expect(await consents.list(mine, WHOLE)).toEqual([consent]);
      expect(await consents.list(theirs, WHOLE)).toEqual([]);
      expect(await consents.find(mine, consent.id)).toEqual(consent);
      expect(await consents.find(theirs, consent.id)).toBeNull();
      expect(await consents.rename(theirs, consent.id, "x")).toBeNull();
      expect(await consents.remove(theirs, consent.id)).toBe(false);
      expect(await consents.rename(mine, consent.id, "Grace")).toEqual({ ...consent, name: "Grace" });
      expect(await consents.find(mine, "cons_' or 1=1 --")).toBeNull();
    });

    test("a page has the newest first, and the next one follows an id, even of one that was deleted", async () => {
      for (const name of ["a", "b", "c"]) await make(mine, name);
      const [third, second, first] = await consents.list(mine, WHOLE);
      expect([third, second, first].map((each) => each!.name)).toEqual(["c", "b", "a"]);
      expect(await consents.list(mine, { after: null, limit: 2 })).toEqual([third!, second!]);
      await consents.remove(mine, second!.id);
      expect(await consents.list(mine, { after: second!.id, limit: 2 })).toEqual([first!]);
      expect(await consents.list(mine, { after: first!.id, limit: 2 })).toEqual([]);
    });

    test("a recording is returned as it was, stored in no readable form, and gone with its consent", async () => {
      const consent = await make(mine);
      expect((await consents.recording(consent))!.toString()).toBe("I agree to this voice");
      expect(await fixture.stored()).not.toContain("to this voice");
      await expect(open(`${SECRET}-changed`).recording(consent)).rejects.toMatchObject({
        code: "voice_unreadable",
      });
      expect(await consents.remove(mine, consent.id)).toBe(true);
      expect(await consents.remove(mine, consent.id)).toBe(false);
      expect(await consents.recording(consent)).toBeNull();
    });

    test("an organization has at most as many as the operator allows, also of those that are made at once", async () => {
      const made = await Promise.allSettled(["a", "b", "c", "d", "e"].map((name) => make(mine, name)));
      const refused = made.flatMap((each) => (each.status === "rejected" ? [each.reason.code] : []));
      expect(new Set(refused)).toEqual(new Set(["too_many_consents"]));
      expect((await consents.list(mine, WHOLE)).length).toBeLessThanOrEqual(3);
      await make(theirs);
    });
  });
}
