/** Who is no member gets mail of alerts on every database only after they agreed by a mailed link, and none after they said so. */
import { beforeEach, describe, expect, test } from "bun:test";
import type { AlertLetter } from "../../../src/alerts/alert-mail.ts";
import { handleAlerts } from "../../../src/alerts/alert-work.ts";
import { handleBalanceAlerts } from "../../../src/alerts/balance-work.ts";
import { handleAsking } from "../../../src/alerts/recipient-work.ts";
import { actingAs } from "../../../src/audit/actor.ts";
import { openWorkRows } from "../../../src/db/queries/work-rows.ts";
import { newId } from "../../../src/ids.ts";
import { openLog } from "../../../src/log/log.ts";
import { openWork } from "../../../src/work/work-queue.ts";
import { grantOf } from "../ledger/charges.ts";
import { type AlertFixture, amount, DOLLAR, openSetting, SIGNATURES } from "./alert-setting.ts";

const DAY_MS = 86_400_000;
const OUTSIDE = "Finance@Elsewhere.example";
const ADDRESS = OUTSIDE.toLowerCase();

export function recipientContract(name: string, prepare: () => Promise<AlertFixture>) {
  describe(`recipients of alerts who are not members, ${name}`, () => {
    const { on, spend, watched, work, member, now } = openSetting(prepare);
    let mails: { to: string; letter: AlertLetter }[];
    beforeEach(() => {
      mails = [];
    });

    const run = async () => {
      const log = openLog("debug", () => {});
      const rows = openWorkRows(on.node.database);
      await using running = openWork({ rows, node: "node", clock: on.clock, log });
      const deps = {
        ...{ database: on.node.database, work: running, clock: on.clock, log, signatures: SIGNATURES },
        ...{ ledger: on.ledger, owners: async () => [{ id: "user_ada", email: "ada@example.com" }] },
        async send(to: string, letter: AlertLetter) {
          mails.push({ to, letter });
          return "sent" as const;
        },
      };
      handleAsking(deps);
      handleAlerts(deps);
      handleBalanceAlerts(deps);
      await running.run();
      await running.run();
      return mails.splice(0);
    };
    const give = (dollars: number) => {
      const of = { id: newId("grant", on.clock), organizationId: on.org, amountMicros: dollars * DOLLAR };
      return on.ledger.grant(grantOf({ ...of, createdAt: now(), kind: "adjustment" }));
    };
    const named = (...recipients: string[]) => amount(5, { channel: "email", recipients });
    const asked = async (...recipients: string[]) => {
      const alert = await on.alerts.create(watched("organization"), named(...recipients));
      return { alert, tokens: (await run()).map(({ letter }) => letter.token!) };
    };
    const stateOf = async (address = ADDRESS) =>
      (await on.recipients.statesOf(on.org, [address])).get(address);
    const audited = async () =>
      (await on.node.database.query.select().from(on.node.database.tables.auditEvent))
        .filter(({ type }) => type.startsWith("spend_alert.recipient"))
        .map(({ type }) => type);

    test("an address is asked once, gets nothing before it agrees, and can end it by each mail", async () => {
      await member("ada@example.com");
      const made = await on.alerts.create(watched("organization"), named("ada@example.com", OUTSIDE));
      expect(made).toMatchObject({ pending: [OUTSIDE], unsubscribed: [] });
      const [question, ...more] = await run();
      expect([question!.to, question!.letter.page, more]).toEqual([ADDRESS, "answer", []]);
      expect(question!.letter.lines[0]).toStartWith('The organization "Acme" on Loquat wants to tell');
      await on.alerts.change(made, { recipients: ["ada@example.com", OUTSIDE] });
      expect(await run()).toEqual([]);
      await spend(5);
      expect((await run()).map(({ to }) => to)).toEqual(["ada@example.com"]);

      const agreed = await on.recipients.answer(question!.letter.token!, true);
      expect(agreed).toEqual({ email: ADDRESS, state: "confirmed", organization: "Acme" });
      expect(await on.alerts.find({ organizationId: on.org, of: "all" }, made.id)).toMatchObject({
        pending: [],
      });
      await on.alerts.change(made, { threshold: { amountMicros: 6 * DOLLAR } });
      await spend(1);
      const told = await run();
      expect(told.map(({ to }) => to).toSorted()).toEqual(["ada@example.com", ADDRESS]);
      const mine = told.find(({ to }) => to === ADDRESS)!.letter;
      expect([mine.subject, mine.page]).toEqual(["Spend alert: $6.00 spent", "answer"]);
      expect(told.find(({ to }) => to !== ADDRESS)!.letter).toMatchObject({ page: "usage" });

      expect(await on.recipients.answer(mine.token!, false)).toMatchObject({ state: "unsubscribed" });
      const [alert] = await on.alerts.list(
        { organizationId: on.org, of: "all" },
        { after: null, before: null, limit: 9, isNewestFirst: false },
      );
      expect(alert).toMatchObject({ pending: [], unsubscribed: [OUTSIDE] });
      await on.alerts.change(made, { threshold: { amountMicros: 7 * DOLLAR }, recipients: [OUTSIDE] });
      await spend(1);
      expect(await run()).toEqual([]);
      await on.recipients.answer(mine.token!, true);
      expect(await stateOf()).toBe("confirmed");
      const [yes, no] = ["spend_alert.recipient_confirmed", "spend_alert.recipient_unsubscribed"] as const;
      expect(await audited()).toEqual([yes, no, yes]);
    });

    test("a link works once, within seven days, and only as it was mailed", async () => {
      const { alert, tokens } = await asked(OUTSIDE);
      const [token] = tokens as [string];
      const answer = (given: string, wants = true) => on.recipients.answer(given, wants);
      const refused = { code: "invalid_token" };
      const [, claims] = token.split(".") as [string, string];
      const forged = Buffer.from(JSON.stringify({ ...JSON.parse(atob(claims)), until: null })).toString(
        "base64url",
      );
      for (const wrong of ["", "x", `${token}x`, `${token}.x`, token.replace(claims, forged)])
        await expect(answer(wrong)).rejects.toMatchObject(refused);
      on.clock.pass(7 * DAY_MS);
      await expect(answer(token)).rejects.toMatchObject(refused);
      await on.alerts.change(alert, { recipients: [OUTSIDE] });
      const [again] = (await run()).map(({ letter }) => letter.token!) as [string];
      await expect(answer(token)).rejects.toMatchObject(refused);
      await answer(again);
      await answer(again);
      expect(await stateOf()).toBe("confirmed");
      await answer(again, false);
      await expect(answer(again)).rejects.toMatchObject(refused);
      expect([await stateOf(), (await audited()).length]).toEqual(["unsubscribed", 2]);
    });

    test("a question that was answered or asked anew meanwhile is not mailed", async () => {
      const { alert } = await asked(OUTSIDE);
      on.clock.pass(DAY_MS);
      await on.alerts.change(alert, { recipients: [OUTSIDE] });
      on.clock.pass(DAY_MS);
      await on.alerts.change(alert, { recipients: [OUTSIDE] });
      expect((await work()).length).toBe(2);
      expect((await run()).length).toBe(1);
      expect(await work()).toEqual([]);
    });

    test("what is no address is refused, and an alert that is one too many mails no question", async () => {
      await expect(on.alerts.create(watched("key"), named("ada"))).rejects.toMatchObject({
        ...{ code: "validation_error", param: "notification_channel.recipients.0" },
      });
      for (let made = 0; made < 20; made++) await on.alerts.create(watched("key"), amount(made + 1));
      await expect(on.alerts.create(watched("key"), named(OUTSIDE))).rejects.toMatchObject({
        code: "too_many_spend_alerts",
      });
      expect([await work(), await on.recipients.ofBalance(on.org)]).toEqual([[], []]);
    });

    test("mails that ask are bounded for an organization, a person and an address", async () => {
      const addresses = (from: number, many: number) =>
        Array.from({ length: many }, (_, index) => `a${from + index}@elsewhere.example`);
      await asked(...addresses(0, 20));
      const tooMany = { code: "rate_limit_exceeded" };
      await expect(on.alerts.create(watched("key"), named("b@elsewhere.example"))).rejects.toMatchObject(
        tooMany,
      );
      on.clock.pass(DAY_MS);
      expect((await asked(...addresses(20, 20))).tokens.length).toBe(20);
      on.asking.isAllowed = async () => false;
      on.clock.pass(DAY_MS);
      const { alert, tokens } = await asked("often@elsewhere.example");
      expect([alert.pending, tokens]).toEqual([["often@elsewhere.example"], []]);
      on.clock.pass(DAY_MS);
      const ada = {
        type: "user",
        id: "user_ada",
        email: "ada@example.com",
        address: null,
        userAgent: null,
      } as const;
      const most = { most: 40, windowSeconds: 86_400 };
      for (let each = 0; each < 40; each++)
        await on.asking.attempts.refuse("alert recipients of", "user_ada", most);
      const byAda = actingAs(ada, () => on.alerts.create(watched("key"), named("c@elsewhere.example")));
      await expect(byAda).rejects.toMatchObject(tooMany);
    });

    test("an organization names 100 addresses, of which those that no alert names any more make room", async () => {
      const { query, tables } = on.node.database;
      const known = (each: number) => `a${each}@elsewhere.example`;
      await asked(known(0));
      await query.insert(tables.alertRecipient).values(
        Array.from({ length: 99 }, (_, index) => ({
          ...{
            id: `recip_${index}`,
            organizationId: on.org,
            email: known(index + 1),
            nonce: "n",
            createdAt: 0,
          },
          ...{
            state: index === 98 ? ("unsubscribed" as const) : ("confirmed" as const),
            tellsBalance: index < 98,
          },
        })),
      );
      await asked("one-more@elsewhere.example");
      const full = on.alerts.create(watched("organization"), named("two-more@elsewhere.example"));
      await expect(full).rejects.toMatchObject({ code: "too_many_alert_recipients" });
      await on.recipients.setOfBalance(on.org, [known(1)]);
      await asked("two-more@elsewhere.example");
      const left = (await query.select().from(tables.alertRecipient)).map(({ email }) => email).toSorted();
      const others = ["one-more", "two-more"].map((each) => `${each}@elsewhere.example`);
      expect(left).toEqual([known(0), known(1), known(99), ...others].toSorted());
    });

    test("the balance alert tells whom owners named, once they agreed, and no owner twice", async () => {
      await member("ada@example.com");
      await member("bob@example.com");
      await give(10);
      await on.ledger.setBalanceAlert(on.org, 5 * DOLLAR);
      await on.recipients.setOfBalance(on.org, ["ada@example.com", "Bob@example.com", OUTSIDE]);
      const states = () => on.recipients.ofBalance(on.org);
      expect(await states()).toEqual([
        { email: "ada@example.com", state: "member" },
        { email: "bob@example.com", state: "member" },
        { email: ADDRESS, state: "pending" },
      ]);
      const [question, ...more] = await run();
      expect([question!.to, more]).toEqual([ADDRESS, []]);
      await spend(6, { plan: "prepaid" });
      expect((await run()).map(({ to }) => to).toSorted()).toEqual(["ada@example.com", "bob@example.com"]);
      await on.recipients.answer(question!.letter.token!, true);
      await give(10);
      await on.recipients.setOfBalance(on.org, [ADDRESS]);
      await spend(10, { plan: "prepaid" });
      expect((await run()).map(({ to, letter }) => [to, letter.page]).toSorted()).toEqual([
        ["ada@example.com", "billing"],
        [ADDRESS, "answer"],
      ]);
      await on.recipients.setOfBalance(on.org, []);
      expect(await states()).toEqual([]);
    });
  });
}
