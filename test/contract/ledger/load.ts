/** What every ledger store must tell of an organization's refusals and of its most requests at once. */
import { describe, expect, test } from "bun:test";
import { newId } from "../../../src/ids.ts";
import type { RequestLog } from "../../../src/ledger/booking/write.ts";
import type { Ledger } from "../../../src/ledger/ledger.ts";
import { heldClock } from "../../harness.ts";
import { requestOf } from "./charges.ts";
import { freshLedger } from "./fresh-ledger.ts";
import type { Fixture } from "./ledger.ts";

const DAY = 86_400;

export function ledgerLoadContract(name: string, prepare: () => Promise<Fixture>) {
  describe(`${name}, load`, () => {
    let ledger: Ledger;
    let clock = heldClock();
    const now = () => Math.floor(clock.now() / 1000);
    freshLedger(prepare, (fresh) => {
      ({ ledger, clock } = fresh);
    });
    const noted = (parts: Partial<RequestLog> = {}) =>
      ledger.log(requestOf({ id: newId("req", clock), createdAt: now(), durationMs: 0, ...parts }));

    test("load is what was refused on each day, by reason, and the most requests at once", async () => {
      clock.pass((DAY - (now() % DAY)) * 1000 - (clock.now() % 1000));
      const start = now();
      await noted({ durationMs: 1000 });
      clock.pass(500);
      await noted({ durationMs: 1000, status: 499 });
      await noted({ durationMs: 1000, organizationId: "other" });
      for (const [status, errorCode] of [
        ...([
          [429, "rate_limit_exceeded"],
          [402, "insufficient_credits"],
          [402, "insufficient_credits"],
        ] as const),
        ...([
          [403, "model_not_allowed"],
          [404, "model_not_found"],
          [503, "service_unavailable"],
        ] as const),
      ])
        await noted({ status, errorCode });
      clock.pass(1000);
      await noted({ durationMs: 900 });
      clock.pass((start + DAY - now() - 1) * 1000);
      await noted({ durationMs: 60_000 });
      clock.pass(30_000);
      await noted({ durationMs: 10 });
      const asked = { organizationId: "org", start: start - DAY, end: start + 2 * DAY };
      const refused = [
        { status: 402, errorCode: "insufficient_credits", requests: 2 },
        { status: 403, errorCode: "model_not_allowed", requests: 1 },
        { status: 429, errorCode: "rate_limit_exceeded", requests: 1 },
      ];
      expect(await ledger.load(asked)).toEqual([
        { start: start - DAY, refused: [], peak: 0 },
        { start, refused, peak: 2 },
        { start: start + DAY, refused: [], peak: 2 },
      ]);
      const newest = await ledger.load({ ...asked, rowsMax: 2 });
      expect(newest.map(({ peak }) => peak)).toEqual([null, null, 2]);
      expect(newest[1]!.refused).toEqual(refused);
      const least = await ledger.load({ ...asked, rowsMax: 1 });
      expect(least.map(({ peak }) => peak)).toEqual([null, null, null]);
    });
  });
}
