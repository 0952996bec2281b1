/** What every ledger store must add up of those whom clients name as their users. */
import { describe, expect, test } from "bun:test";
import { newId } from "../../../src/ids.ts";
import type { Charge } from "../../../src/ledger/booking/burn-down.ts";
import type { RequestLog } from "../../../src/ledger/booking/write.ts";
import type { Ledger, RequestQuery, UsageQuery } from "../../../src/ledger/ledger.ts";
import { heldClock } from "../../harness.ts";
import { chargeOf, requestOf } from "./charges.ts";
import { freshLedger } from "./fresh-ledger.ts";
import type { Fixture } from "./ledger.ts";

const DAY = 86_400;
const NAMES_MAX = 1000;

export function endUsersContract(name: string, prepare: () => Promise<Fixture>) {
  describe(`${name}, end users`, () => {
    let ledger: Ledger;
    let clock = heldClock();
    const now = () => Math.floor(clock.now() / 1000);
    freshLedger(prepare, (fresh) => {
      ({ ledger, clock } = fresh);
    });

    const request = (endUser: string | null, parts: Partial<RequestLog> = {}) =>
      requestOf({ id: newId("req", clock), createdAt: now(), endUser, ...parts });
    const charged = async (log: RequestLog, parts: Partial<Charge> = {}) => {
      const { id: requestId, organizationId } = log;
      const charge = chargeOf({ requestId, organizationId, costMicros: 7, quantity: 10, ...parts });
      await ledger.charge(charge, { ...log, costMicros: log.costMicros + charge.costMicros });
      return charge;
    };
    const usage = async (endUsers: NonNullable<UsageQuery["endUsers"]>, parts: Partial<UsageQuery> = {}) =>
      (
        await ledger.usage({
          ...{ organizationId: "org", start: now() - 3 * DAY, end: now() + 1, bucket: "day" },
          ...{ groupBy: [], filters: {}, endUsers },
          ...parts,
        })
      ).map(({ start, groups, requests, errors, characters, audioSeconds, costMicros }) => ({
        ...{ start, endUser: groups.end_user, requests, errors, characters, audioSeconds, costMicros },
      }));
    const byName = { name: null, isGrouped: true };
    const today = () => now() - (now() % DAY);
    const none = { errors: 0, characters: 0, audioSeconds: 0, costMicros: 0 };

    test("are added up by name and day, with what they were charged, and others are not", async () => {
      await charged(request("ada"));
      await charged(request("ada"), { unit: "second", quantity: 2.5, costMicros: 5 });
      await ledger.log(request("bob", { status: 429, errorCode: "rate_limit_exceeded" }));
      await ledger.log(request("bob", { status: 499 }));
      await charged(request(null));
      await charged(request("ada", { organizationId: "other" }));
      const ada = { start: today(), endUser: "ada", requests: 2, errors: 0 };
      const bob = { start: today(), endUser: "bob", ...none, requests: 2, errors: 1 };
      expect(await usage(byName)).toEqual([
        { ...ada, characters: 10, audioSeconds: 2.5, costMicros: 12 },
        bob,
      ]);
      expect(await usage({ name: "bob", isGrouped: false })).toEqual([
        { ...bob, endUser: undefined as never },
      ]);
      clock.pass(DAY * 1000);
      await charged(request("ada"));
      expect(await usage({ name: "ada", isGrouped: true })).toMatchObject([
        { start: today() - DAY, requests: 2 },
        { start: today(), requests: 1, costMicros: 7 },
      ]);
    });

    test("count each request once, whatever is written of it again, and what is given back no more", async () => {
      const log = request("ada", { status: 101 });
      await ledger.log(log);
      const charge = await charged(log);
      await ledger.log({ ...log, status: 500, errorCode: "internal_error" });
      expect(await usage(byName)).toMatchObject([{ requests: 1, errors: 1, characters: 10, costMicros: 7 }]);
      await ledger.refund({
        ...{ chargeId: charge.id, organizationId: "org", requestId: log.id, quantity: 4, costMicros: 3 },
      });
      expect(await usage(byName)).toMatchObject([{ characters: 6, costMicros: 4 }]);
      const other = await charged(request("ada"));
      await ledger.cancel(other);
      expect(await usage(byName)).toMatchObject([{ requests: 2, characters: 6, costMicros: 4 }]);
    });

    test("are a thousand names a day at most, whether they come at once or not; the rest are others", async () => {
      const names = Array.from({ length: NAMES_MAX - 2 }, (_, index) => `user ${index}`);
      await Promise.all(names.map((endUser) => ledger.log(request(endUser))));
      await Promise.all(["a", "b", "c", "d", "user 1"].map((endUser) => ledger.log(request(endUser))));
      const last = await charged(request("e"));
      await ledger.cancel(last);
      await ledger.log(request("a"));
      const all = await usage(byName);
      expect(all.length).toBe(NAMES_MAX + 1);
      expect(all.reduce((sum, { requests }) => sum + requests, 0)).toBe(NAMES_MAX - 2 + 7);
      expect(all.find(({ endUser }) => endUser === "others")).toMatchObject({ ...none, requests: 3 });
      expect(all.find(({ endUser }) => endUser === "user 1")).toMatchObject({ requests: 2 });
      clock.pass(DAY * 1000);
      await ledger.log(request("e"));
      expect(await usage(byName, { start: today() })).toMatchObject([{ endUser: "e" }]);
    });

    test("are what requests are found by, with other filters", async () => {
      const made: RequestLog[] = [];
      for (const endUser of ["ada", "bob", null, "ada"]) {
        clock.pass(1000);
        const label = endUser === "bob" ? "call" : null;
        made.push(request(endUser, { model: endUser === "bob" ? "svc-stt1" : "svc-tts1", label }));
        await ledger.log(made.at(-1)!);
      }
      clock.pass(1000);
      await ledger.log(request("ada", { organizationId: "other" }));
      const found = async (parts: Partial<RequestQuery>) => {
        const all: RequestQuery = {
          ...{ organizationId: "org", start: null, end: null, filters: {}, status: null, errorCode: null },
          ...{ idPrefix: null, label: null, language: null, endUser: "ada", before: null, limit: 10 },
        };
        return (await ledger.requestPage({ ...all, ...parts })).map(({ id }) => id);
      };
      expect(await found({})).toEqual([made[3]!.id, made[0]!.id]);
      expect(await found({ limit: 1, before: made[3]!.id })).toEqual([made[0]!.id]);
      expect(await found({ end: made[3]!.createdAt })).toEqual([made[0]!.id]);
      expect(await found({ filters: { model: "svc-stt1" } })).toEqual([]);
      expect(await found({ endUser: "bob", filters: { model: "svc-stt1" }, status: "2xx" })).toEqual([
        made[1]!.id,
      ]);
      expect(await found({ endUser: "Ada" })).toEqual([]);
      expect(await found({ endUser: null, label: "call" })).toEqual([made[1]!.id]);
      expect(await found({ label: "call" })).toEqual([]);
    });
  });
}
