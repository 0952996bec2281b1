/** What every ledger store must do of requests that are sent again: charge each once, and let few replays follow. */
import { describe, expect, test } from "bun:test";
import type { Attempt, ReplayKind } from "../../../src/ledger/booking/replay.ts";
import type { ChargedAttempt } from "../../../src/ledger/booking/write.ts";
import type { Ledger } from "../../../src/ledger/ledger.ts";
import { heldClock } from "../../harness.ts";
import { chargeOf, requestFor } from "./charges.ts";
import { type Fresh, freshLedger } from "./fresh-ledger.ts";
import type { Fixture } from "./ledger.ts";

const MINUTE = 60;
const HOUR = 60 * MINUTE;

export function ledgerReplaysContract(name: string, prepare: () => Promise<Fixture>) {
  describe(`${name}, requests that are sent again`, () => {
    let ledger: Ledger;
    let losses: Fresh["losses"];
    let clock = heldClock();
    freshLedger(prepare, (fresh) => {
      ({ ledger, clock, losses } = fresh);
    });

    const now = () => Math.floor(clock.now() / 1000);
    const attemptOf = (holderId: string, parts: Partial<Attempt> = {}): Attempt => ({
      kind: "key",
      organizationId: "org",
      id: "digest",
      fingerprint: "content",
      isRepetition: true,
      holderId,
      createdAt: now(),
      ...parts,
    });
    const claim = async (holderId: string, parts: Partial<Attempt> = {}) => {
      const { state, requestId } = await ledger.claim(attemptOf(holderId, parts));
      return `${state} ${requestId}`;
    };
    const chargeFor = (requestId: string) => chargeOf({ requestId, costMicros: 7, createdAt: now() });
    async function charge(requestId: string, parts: Partial<ChargedAttempt> = {}) {
      const made = chargeFor(requestId);
      const row = { ...attemptOf(requestId, parts), requestId: parts.requestId ?? requestId };
      await ledger.charge(made, requestFor(made), row);
      return { made, row };
    }
    const claims = async (times: number, parts: Partial<Attempt> = {}) => {
      const states: string[] = [];
      for (let time = 0; time < times; time++) states.push(await claim(`again_${time}`, parts));
      return states;
    };

    test("of many equal keys at once one is new", async () => {
      const all = await Promise.all(Array.from({ length: 100 }, (_, turn) => claim(`req_${turn}`)));
      expect(all.filter((one) => one.startsWith("new"))).toEqual(["new req_0"]);
      expect(new Set(all.slice(1))).toEqual(new Set(["running req_0"]));
    });

    test("an original whose repetition was charged while it ran is its replay, and the next equal request is not", async () => {
      const retry = { kind: "retry", isRepetition: false } as const;
      const begun = now();
      clock.pass(2000);
      await charge("second", { kind: "retry" });
      expect(await claim("first", { ...retry, createdAt: begun })).toBe("replay second");
      expect(await claim("other", { ...retry, createdAt: begun })).toBe("new other");
      await charge("other", retry);
      expect(await claim("equal", { ...retry, createdAt: begun })).toBe("new equal"); // no repetition was charged
    });

    test("a key whose request was charged is replayed five times", async () => {
      await claim("first");
      await charge("first");
      expect(await claims(6)).toEqual([...Array(5).fill("replay first"), "used first"]);
    });

    test("a key is replayed within the hour, used for a day, and then new", async () => {
      await claim("first");
      await charge("first");
      clock.pass((HOUR - 1) * 1000);
      expect(await claim("late")).toBe("replay first");
      clock.pass(1000);
      expect(await claim("later")).toBe("used first");
      clock.pass(23 * HOUR * 1000);
      expect(await claim("tomorrow")).toBe("new tomorrow");
    });

    test.each([false, true])("a key is refused for another content, charged %s", async (isCharged) => {
      await claim("first");
      if (isCharged) await charge("first");
      expect(await claim("other", { fingerprint: "other" })).toBe("reused first");
      expect(await claim("again")).toBe(isCharged ? "replay first" : "running first");
    });

    test("a request that ended without a charge leaves its key new", async () => {
      await claim("first");
      await ledger.abandon(attemptOf("first"));
      expect(await claim("second")).toBe("new second");
      await ledger.abandon(attemptOf("first")); // of another by now
      expect(await claim("third")).toBe("running second");
    });

    test.each<ReplayKind>(["key", "retry"])("a %s whose request cost nothing is replayed", async (kind) => {
      await claim("first", { kind });
      await ledger.settle({ ...attemptOf("first", { kind }), requestId: "first" });
      await ledger.abandon(attemptOf("first", { kind }));
      expect(await claim("second", { kind })).toBe("replay first");
      expect((await ledger.totals("org")).costMicros).toBe(0);
    });

    test("a request that was charged is not abandoned", async () => {
      await claim("first");
      await charge("first");
      await ledger.abandon(attemptOf("first"));
      expect(await claim("second")).toBe("replay first");
    });

    test("a request that stopped is taken over, and the two are charged once", async () => {
      await claim("first");
      clock.pass(29_000);
      await ledger.renew(attemptOf("first"));
      clock.pass(29_000);
      expect(await claim("early")).toBe("running first");
      clock.pass(1000);
      expect(await claim("second")).toBe("new first");
      expect(await claim("third")).toBe("running first");
      await ledger.renew(attemptOf("first")); // holds it no longer
      await ledger.abandon(attemptOf("first"));
      const byOther = { ...chargeFor("second"), id: "first.0" };
      const row = { ...attemptOf("second"), requestId: "first" };
      await Promise.all([charge("first"), ledger.charge(byOther, requestFor(byOther), row)]);
      expect((await ledger.totals("org")).costMicros).toBe(7);
      expect(await claim("fourth")).toBe("replay first");
    });

    test.each<ReplayKind>(["key", "retry"])(
      "a %s whose charge was lost and cancelled is new",
      async (kind) => {
        await claim("first", { kind });
        losses.answers = 1;
        await expect(charge("first", { kind })).rejects.toThrow("cannot be reached");
        const row = { organizationId: "org", id: "digest", requestId: "first" };
        await ledger.cancel(chargeFor("first"), row);
        expect(await claim("second", { kind })).toBe("new second");
        expect((await ledger.totals("org")).costMicros).toBe(0);
      },
    );

    test.each<ReplayKind>(["key", "retry"])("a %s whose charge was refunded is new", async (kind) => {
      await claim("first", { kind });
      const { made, row } = await charge("first", { kind });
      const refund = { chargeId: made.id, quantity: 7, costMicros: 7 };
      await ledger.refund({ ...refund, organizationId: "org", requestId: "first" }, row);
      expect(await claim("second", { kind })).toBe("new second");
    });

    test("an attempt that its client counts is replayed twice in ten minutes", async () => {
      const kind = "retry";
      expect(await claim("alone", { kind })).toBe("new alone");
      await charge("first", { kind });
      expect(await claims(3, { kind })).toEqual(["replay first", "replay first", "new again_2"]);
      await charge("second", { kind });
      clock.pass((10 * MINUTE - 1) * 1000);
      expect(await claim("late", { kind })).toBe("replay second");
      clock.pass(1000);
      expect(await claim("later", { kind })).toBe("new later");
    });

    test("organizations do not share a key", async () => {
      await claim("first");
      expect(await claim("other", { organizationId: "other" })).toBe("new other");
    });

    test("rows that have expired are deleted, a few with each that is stored, and all when trimmed", async () => {
      for (const id of ["a", "b", "c", "d", "e"]) await claim(id, { id });
      await claim("kept", { id: "kept", createdAt: now() + HOUR });
      clock.pass(24 * HOUR * 1000);
      await claim("new", { id: "new" });
      await ledger.trimReplayables();
      expect(await claim("again", { id: "kept", createdAt: now() })).toBe("new kept"); // taken over: it was there
      expect(await claim("again", { id: "new" })).toBe("running new");
    });
  });
}
