/** What is told on every database once an alert has gone off: each recipient by one mail, webhooks by one event. */
import { beforeEach, describe, expect, test } from "bun:test";
import { eq } from "drizzle-orm";
import type { AlertLetter } from "../../../src/alerts/alert-mail.ts";
import { handleAlerts } from "../../../src/alerts/alert-work.ts";
import type { SpendAlert } from "../../../src/alerts/spend-alerts.ts";
import { openAlertRows } from "../../../src/db/queries/alert-rows.ts";
import { openWorkRows } from "../../../src/db/queries/work-rows.ts";
import { openLog } from "../../../src/log/log.ts";
import { openWork } from "../../../src/work/work-queue.ts";
import {
  type AlertFixture,
  amount,
  DECEMBER,
  DOLLAR,
  NOVEMBER,
  openSetting,
  SIGNATURES,
} from "./alert-setting.ts";

export function toldAlertContract(name: string, prepare: () => Promise<AlertFixture>) {
  describe(`what is told of alerts, ${name}`, () => {
    const { on, newKey, spend, watched, work, member, withoutMail } = openSetting(prepare);
    let mails: { to: string; letter: AlertLetter }[];
    let lines: string[];
    let fails: "never" | "now" | "refused";
    beforeEach(() => {
      [mails, lines, fails] = [[], [], "never"];
    });

    const opened = () => {
      const log = openLog("debug", (line) => lines.push(line));
      const rows = openWorkRows(on.node.database);
      const running = openWork({ rows, node: "node", clock: on.clock, log });
      handleAlerts({
        ...{ database: on.node.database, work: running, clock: on.clock, log, signatures: SIGNATURES },
        async send(to, letter) {
          if (fails === "now") throw new Error(`550 ${to}`);
          if (fails === "refused") return "refused";
          mails.push({ to, letter });
          return "sent";
        },
      });
      return running;
    };
    const events = async () => {
      const rows = await on.node.database.query.select().from(on.node.database.tables.event);
      return rows
        .filter(({ type }) => type === "spend.alert")
        .map(({ projectId, data }) => ({ projectId, ...JSON.parse(data) }));
    };
    const mailed = (...recipients: string[]) => amount(5, { channel: "email", recipients });

    test("each recipient gets a mail with the amount, the limit and the three dearest keys, and webhooks one event", async () => {
      await member("ada@example.com");
      await member("bob@example.com");
      const keys = [on.key];
      for (const each of ["Test http://evil.example", "Batch", "Idle"]) keys.push((await newKey(each)).id);
      const alert = await on.alerts.create(
        watched("project"),
        amount(5, {
          channel: "email",
          recipients: ["ada@example.com", "bob@example.com"],
          subjectPrefix: "[Radio]",
        }),
      );
      for (const [index, keyId] of keys.entries()) await spend(2 - index / 2, { keyId });
      await using running = opened();
      await running.run();
      await running.run();
      expect(mails.map(({ to }) => to).toSorted()).toEqual(["ada@example.com", "bob@example.com"]);
      const { subject, lines: told, page, organization } = mails[0]!.letter;
      expect({ subject, page, organization }).toEqual({
        ...{ subject: "[Radio] Spend alert: $5.00 spent", page: "usage" },
        organization: { id: on.org, name: "Acme" },
      });
      expect(told[0]).toBe(
        'The project "Radio" has spent $5.00 since 2026-11-01 (UTC). The alert was set at $5.00.',
      );
      expect(told[1]).toMatch(
        /^What cost most since then: "Production" \(sk_live_\w+…\w{4}\) \$2\.00, "Test http evil example" \(\S+\) \$1\.50, "Batch" \(\S+\) \$1\.00\.$/,
      );
      expect(await events()).toEqual([
        {
          ...{ projectId: on.proj, id: alert.id, scope: "project", watched_id: on.proj, percent: null },
          ...{ threshold_micros: 5 * DOLLAR, spent_micros: 5 * DOLLAR, period_start: NOVEMBER },
        },
      ]);
      expect(await work()).toEqual([]);
    });

    test("an alert for webhooks sends no mail", async () => {
      await member("ada@example.com");
      await on.alerts.create(watched("key"), amount(5));
      await spend(5);
      await using running = opened();
      await running.run();
      expect([mails, (await events()).length]).toEqual([[], 1]);
    });

    test("without mail only verified addresses of members are recipients, and who leaves is not told", async () => {
      const alerts = withoutMail();
      await member("ada@example.com");
      await member("new@example.com", false);
      const userId = await member("bob@example.com");
      for (const other of ["new@example.com", "stranger@example.com"])
        await expect(alerts.create(watched("key"), mailed("ada@example.com", other))).rejects.toMatchObject({
          ...{ code: "recipient_not_member", param: "notification_channel.recipients.1" },
          message: expect.stringContaining("this server sends no mail"),
        });
      const alert: SpendAlert = await alerts.create(
        watched("key"),
        mailed("ada@example.com", "bob@example.com"),
      );
      await expect(alerts.change(alert, { recipients: ["x@example.com"] })).rejects.toMatchObject({
        code: "recipient_not_member",
      });
      await spend(5);
      const { member: seats } = on.node.database.tables;
      await on.node.database.query.delete(seats).where(eq(seats.userId, userId));
      await using running = opened();
      await running.run();
      expect(mails.map(({ to }) => to)).toEqual(["ada@example.com"]);
    });

    test("a mail that is not taken is tried five times within a day, and one that is refused once", async () => {
      await member("ada@example.com");
      await on.alerts.create(watched("key"), mailed("ada@example.com"));
      await spend(5);
      fails = "now";
      await using running = opened();
      await running.run();
      for (const minutes of [1, 15, 120, 1200, 1440]) {
        on.clock.pass(minutes * 60_000);
        await running.run();
      }
      const count = (event: string) => lines.filter((line) => line.includes(event)).length;
      expect([count("alert_failed"), count("alert_given_up")]).toEqual([4, 1]);
      expect(lines.join()).not.toContain("@example.com");
      fails = "refused";
      on.clock.pass(DECEMBER * 1000 - on.clock.now());
      await spend(50);
      await running.run();
      expect([count("alert_failed"), count("alert_given_up"), mails.length]).toEqual([4, 2, 0]);
      expect(await work()).toEqual([]);
    });

    test("an alert that was deleted meanwhile is not told", async () => {
      const alert = await on.alerts.create(watched("key"), amount(5));
      await spend(5);
      await on.alerts.remove(alert);
      await using running = opened();
      await running.run();
      expect([await events(), await work()]).toEqual([[], []]);
      expect(await openAlertRows(on.node.database).lastFired(on.org, [alert.id])).toEqual(new Map());
    });
  });
}
