/** What every ledger store must tell of how close an organization came to its limits. */
import { describe, expect, test } from "bun:test";
import { newId } from "../../../src/ids.ts";
import type { RequestLog } from "../../../src/ledger/booking/write.ts";
import type { Ledger } from "../../../src/ledger/ledger.ts";
import { heldClock } from "../../harness.ts";
import { requestOf } from "./charges.ts";
import { freshLedger } from "./fresh-ledger.ts";
import type { Fixture } from "./ledger.ts";

const QUARTER = 900;
const NOTHING = { requests: 0, characters: 0, seconds: 0, atOnce: 0, refused: 0 };

export function ledgerLimitUseContract(name: string, prepare: () => Promise<Fixture>) {
  describe(`${name}, use of limits`, () => {
    let ledger: Ledger;
    let clock = heldClock();
    const now = () => Math.floor(clock.now() / 1000);
    freshLedger(prepare, (fresh) => {
      ({ ledger, clock } = fresh);
    });
    const noted = (parts: Partial<RequestLog> = {}) =>
      ledger.log(
        requestOf({
          ...{
            id: newId("req", clock),
            createdAt: now(),
            durationMs: 0,
            characters: null,
            audioSeconds: null,
          },
          ...parts,
        }),
      );
    const speech = (characters: number, parts: Partial<RequestLog> = {}) =>
      noted({ characters, audioSeconds: 7, ...parts });

    test("a quarter of an hour has the most of a minute, the most at once, and what reached a limit", async () => {
      clock.pass((QUARTER - (now() % QUARTER)) * 1000 - (clock.now() % 1000));
      const start = now();
      await speech(100, { durationMs: 5000 });
      await speech(20, { durationMs: 5000 });
      await speech(9, { organizationId: "other" });
      await noted({ status: 429, errorCode: "rate_limit_exceeded", characters: 5000 });
      await noted({ status: 403, errorCode: "model_not_allowed" });
      clock.pass(120_000);
      await speech(110);
      await noted({ audioSeconds: 40 });
      clock.pass((QUARTER - 120 - 30) * 1000); // half a minute before the next quarter
      await noted({ audioSeconds: 300, durationMs: 120_000 }); // a live session in three minutes
      const asked = { organizationId: "org", start: start - QUARTER, end: start + 2 * QUARTER };
      const [before, first, second] = await ledger.limitUse(asked);
      expect(before).toEqual({ start: start - QUARTER, most: NOTHING });
      expect(first).toEqual({
        start,
        most: { requests: 2, characters: 120, seconds: 100, atOnce: 2, refused: 1 },
      });
      expect(second).toEqual({ start: start + QUARTER, most: { ...NOTHING, seconds: 100 } });
    });

    test("quarters with requests beyond those that are read are unknown", async () => {
      clock.pass((QUARTER - (now() % QUARTER)) * 1000 - (clock.now() % 1000));
      const start = now();
      for (let request = 0; request < 3; request++) {
        await speech(1);
        clock.pass(3 * 3600 * 1000);
      }
      const asked = { organizationId: "org", start, end: start + 9 * 3600 };
      const known = (await ledger.limitUse({ ...asked, rowsMax: 2 })).map(({ most }) => most !== null);
      expect(known.indexOf(true)).toBe(3600 / QUARTER);
      expect(known.lastIndexOf(false)).toBe(3600 / QUARTER - 1);
    });
  });
}
