/** What the second factor must keep on every database. */
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "bun:test";
import { eq } from "drizzle-orm";
import {
  anonymous,
  forgetAttempts,
  openAccountsHarness,
  PASSWORD,
  type Person,
  refusalOf,
  signUp,
} from "../api/management/people.ts";
import type { Harness } from "../harness.ts";
import { type Authenticator, enable, prepare, STEP_MS } from "../identity/authenticator.ts";
import type { IdentityFixture } from "./identity.ts";

const WRONG = "401 invalid_credentials";

export function secondFactorContract(store: string, prepareStore: () => Promise<IdentityFixture>) {
  describe(store, () => {
    let fixture: IdentityFixture;
    let harness: Harness;
    let ann: Person;
    let app: Authenticator;
    beforeAll(async () => {
      fixture = await prepareStore();
      harness = await openAccountsHarness({ environment: fixture.environment });
      await signUp(harness, "operator@example.com");
      ann = await signUp(harness, "ann@example.com");
      app = await enable(harness, ann);
    });
    afterAll(async () => {
      await harness[Symbol.asyncDispose]();
      await fixture[Symbol.asyncDispose]();
    });
    beforeEach(() => forgetAttempts(harness));

    const database = () => harness.parts.database;
    const withPassword = (email = "ann@example.com") => {
      const person = anonymous(harness, email);
      return person.auth("sign-in/email", { email, password: PASSWORD }).then(() => person);
    };
    const totp = (person: Person, code: string) => person.auth("two-factor/verify-totp", { code });
    const recovery = (person: Person, code: string) => person.auth("two-factor/verify-backup-code", { code });
    const sessionOf = (person: Person) => person.ask("/api/session");

    test("the password alone opens nothing, and gives no cookie of a session or a known browser", async () => {
      const person = anonymous(harness);
      const response = await person.auth("sign-in/email", { email: ann.email, password: PASSWORD });
      expect(await response.json()).toEqual({ twoFactorRedirect: true, twoFactorMethods: ["totp"] });
      const set = response.headers.getSetCookie().filter((each) => !/Max-Age=0/i.test(each));
      expect(set.map((each) => each.split("=")[0])).toEqual([
        expect.stringMatching(/^svc_two_factor_[0-9a-f]{8}$/),
      ]);
      expect(set[0]).toContain("HttpOnly");
      expect((await sessionOf(person)).status).toBe(401);
    });

    test("a wrong password is answered as ever, whether or not its account has a second factor", async () => {
      const answers = await Promise.all(
        ["ann@example.com", "operator@example.com", "nobody@example.com"].map(async (email) => {
          const response = await anonymous(harness).auth("sign-in/email", {
            ...{ email, password: "wrong" },
          });
          const { error } = (await response.json()) as { error: { request_id?: string } };
          return { status: response.status, ...error, request_id: "" };
        }),
      );
      expect(answers[0]).toMatchObject({ status: 401, code: "invalid_credentials" });
      expect(answers[1]).toEqual(answers[0]!);
      expect(answers[2]).toEqual(answers[0]!);
    });

    test("the code completes the sign-in", async () => {
      const person = await withPassword();
      const response = await totp(person, app.next());
      expect(await response.json()).toMatchObject({ user: { email: ann.email } });
      expect(await (await sessionOf(person)).json()).toMatchObject({
        two_factor: { enabled: true, satisfied: true, required: false },
      });
    });

    test("a code is taken once, and none of a step before it afterwards", async () => {
      const [first, second, third] = [await withPassword(), await withPassword(), await withPassword()];
      harness.clock.pass(3 * STEP_MS);
      const before = app.code(-1);
      const code = app.code();
      expect((await totp(first, code)).status).toBe(200);
      expect(await refusalOf(totp(second, code))).toBe(WRONG);
      expect(await refusalOf(totp(third, before))).toBe(WRONG);
      expect((await totp(second, app.next())).status).toBe(200);
    });

    test("of two that send one code at once, one is signed in", async () => {
      const [first, second] = [await withPassword(), await withPassword()];
      const code = app.next();
      const answers = await Promise.all([totp(first, code), totp(second, code)]);
      expect(answers.map(({ status }) => status).sort()).toEqual([200, 401]);
    });

    test("a clock that is one step ahead or behind is no obstacle, and two steps are", async () => {
      for (const steps of [2, -2]) {
        harness.clock.pass(5 * STEP_MS);
        expect(await refusalOf(totp(await withPassword(), app.code(steps)))).toBe(WRONG);
      }
      for (const steps of [-1, 1]) {
        harness.clock.pass(5 * STEP_MS);
        expect((await totp(await withPassword(), app.code(steps))).status).toBe(200);
      }
    });

    test("without its device, an account is opened by a recovery code, once, however it is typed", async () => {
      const bob = await signUp(harness, "bob@example.com");
      const { recoveryCodes } = await enable(harness, bob);
      expect(recoveryCodes.length).toBe(10);
      expect(new Set(recoveryCodes).size).toBe(10);
      const code = recoveryCodes[3]!;
      expect((await recovery(await withPassword(bob.email), code)).status).toBe(200);
      expect(await refusalOf(recovery(await withPassword(bob.email), code))).toBe(WRONG);
      const typed = ` ${recoveryCodes[4]!.toUpperCase().replace("-", " ")}`;
      expect((await recovery(await withPassword(bob.email), typed)).status).toBe(200);
      const [one, other] = [await withPassword(bob.email), await withPassword(bob.email)];
      const both = await Promise.all([one, other].map((person) => recovery(person, recoveryCodes[5]!)));
      expect(both.filter(({ status }) => status === 200).length).toBe(1);
    });

    test("new recovery codes end the old ones, and take the password and a recent code", async () => {
      const cat = await signUp(harness, "cat@example.com");
      const { recoveryCodes, next } = await enable(harness, cat);
      const ask = (password = PASSWORD) => cat.auth("two-factor/generate-backup-codes", { password });
      expect(await refusalOf(ask("wrong"))).toBe(WRONG);
      harness.clock.pass(15 * 60_000);
      expect(await refusalOf(ask())).toBe("403 confirmation_required");
      expect((await totp(cat, next())).status).toBe(200);
      const made = (await (await ask()).json()) as { backupCodes: string[] };
      expect(made.backupCodes.length).toBe(10);
      expect(await refusalOf(recovery(await withPassword(cat.email), recoveryCodes[0]!))).toBe(WRONG);
      expect((await recovery(await withPassword(cat.email), made.backupCodes[0]!)).status).toBe(200);
    });

    test("what was prepared counts only after a code of it, and then every other session has ended", async () => {
      const dan = await signUp(harness, "dan@example.com");
      const elsewhere = await withPassword(dan.email);
      const app = await prepare(harness, dan);
      expect((await sessionOf(await withPassword(dan.email))).status).toBe(200);
      expect(await refusalOf(totp(dan, "000000"))).toBe(WRONG);
      expect(await refusalOf(recovery(dan, app.recoveryCodes[0]!))).toBe("409 two_factor_unavailable");
      const before = dan.cookie();
      expect((await totp(dan, app.next())).status).toBe(200);
      expect(dan.cookie()).not.toBe(before);
      expect(await (await sessionOf(dan)).json()).toMatchObject({ two_factor: { enabled: true } });
      expect((await sessionOf(elsewhere)).status).toBe(401);
      const { query, tables } = database();
      const isTheirs = eq(tables.session.userId, dan.userId);
      expect((await query.select().from(tables.session).where(isTheirs)).length).toBe(1);
      const again = dan.auth("two-factor/enable", { password: PASSWORD });
      expect(await refusalOf(again)).toBe("409 two_factor_unavailable");
    });

    test("a session of a password that lacks its code is none", async () => {
      const { query, tables } = database();
      const person = await withPassword();
      expect((await totp(person, app.next())).status).toBe(200);
      await query
        .update(tables.session)
        .set({ confirmedAt: null })
        .where(eq(tables.session.userId, ann.userId));
      expect((await sessionOf(person)).status).toBe(401);
    });

    test("a changed password keeps the second factor, and the session that changed it", async () => {
      const eve = await signUp(harness, "eve@example.com");
      await enable(harness, eve);
      const newPassword = `${PASSWORD} 2`;
      const body = { currentPassword: PASSWORD, newPassword };
      expect((await eve.auth("change-password", body)).status).toBe(200);
      expect(await (await sessionOf(eve)).json()).toMatchObject({
        two_factor: { enabled: true, satisfied: true },
      });
      const again = anonymous(harness);
      const asked = await again.auth("sign-in/email", { email: eve.email, password: newPassword });
      expect(await asked.json()).toMatchObject({ twoFactorRedirect: true });
    });

    test("switched off, it takes the password and a recent code, and a password is enough again", async () => {
      const fay = await signUp(harness, "fay@example.com");
      const { next } = await enable(harness, fay);
      const off = (password = PASSWORD) => fay.auth("two-factor/disable", { password });
      expect(await refusalOf(off("wrong"))).toBe(WRONG);
      harness.clock.pass(15 * 60_000);
      expect(await refusalOf(off())).toBe("403 confirmation_required");
      expect((await totp(fay, next())).status).toBe(200);
      expect((await off()).status).toBe(200);
      expect((await sessionOf(await withPassword(fay.email))).status).toBe(200);
      expect(await (await sessionOf(fay)).json()).toMatchObject({
        two_factor: { enabled: false, satisfied: false },
      });
      const { query, tables } = database();
      const left = await query.select().from(tables.twoFactor).where(eq(tables.twoFactor.userId, fay.userId));
      expect(left).toEqual([]);
      expect(await refusalOf(off())).toBe("409 two_factor_unavailable");
    });

    test("secrets and recovery codes are stored encrypted", async () => {
      const { query, tables } = database();
      const gus = await signUp(harness, "gus@example.com");
      const made = await gus.json<{ totpURI: string; backupCodes: string[] }>("/api/auth/two-factor/enable", {
        password: PASSWORD,
      });
      const [row] = await query
        .select()
        .from(tables.twoFactor)
        .where(eq(tables.twoFactor.userId, gus.userId));
      const stored = JSON.stringify(row).toLowerCase();
      const secret = new URL(made.totpURI).searchParams.get("secret")!;
      for (const shown of [secret, ...made.backupCodes]) expect(stored).not.toContain(shown.toLowerCase());
      const uri = await gus.json<{ totpURI: string }>("/api/auth/two-factor/get-totp-uri", {
        password: PASSWORD,
      });
      expect(new URL(uri.totpURI).searchParams.get("secret")).toBe(secret);
    });

    test("the code of one account opens no other", async () => {
      const hal = await signUp(harness, "hal@example.com");
      const theirs = await enable(harness, hal);
      expect(await refusalOf(totp(await withPassword(), theirs.next()))).toBe(WRONG);
      expect(await refusalOf(recovery(await withPassword(), theirs.recoveryCodes[0]!))).toBe(WRONG);
      expect(await refusalOf(totp(hal, app.next()))).toBe(WRONG);
    });
  });
}
