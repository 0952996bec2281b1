/** What every ledger store must do of requests that are sent again: charge each once, and let few replays follow. */
import { describe, expect, test } from "bun:test";
import type { Attempt, ChargedAttempt, ReplayKind } from "../../../src/ledger/booking/replay.ts";
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
        const row = { organizationId: "org", id: "digest", requestId: "first", holderId: "first" };
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

    const LEFT = { isLeft: true } as const;

    test.each<ReplayKind>(["key", "retry"])(
      "a %s whose client left is taken over as often as it would be replayed",
      async (kind) => {
        const max = { key: 5, retry: 2 }[kind];
        await claim("first", { kind });
        await charge("first", { kind, ...LEFT });
        for (let time = 0; time < max; time++) {
          expect(await claim(`again_${time}`, { kind })).toBe("new first");
          await charge(`again_${time}`, { kind, ...LEFT, requestId: "first" });
        }
        expect(await claim("late", { kind })).toBe({ key: "used first", retry: "new late" }[kind]);
      },
    );

    test("a key whose client left is running again for the request that took it over, and then charged", async () => {
      await claim("first");
      await charge("first", LEFT);
      expect(await claim("second")).toBe("new first");
      expect(await claim("third")).toBe("running first");
      await charge("second", { requestId: "first" });
      expect(await claims(5)).toEqual([...Array(4).fill("replay first"), "used first"]);
    });

    test.each<ReplayKind>(["key", "retry"])(
      "a %s whose client left is taken over for a while",
      async (kind) => {
        await claim("first", { kind });
        await charge("first", { kind, ...LEFT });
        clock.pass(({ key: HOUR, retry: 10 * MINUTE }[kind] - 1) * 1000);
        expect(await claim("late", { kind })).toBe("new first");
        await ledger.abandon(attemptOf("late", { kind }));
        clock.pass({ key: HOUR, retry: 10 * MINUTE }[kind] * 1000);
        expect(await claim("later", { kind })).toBe({ key: "used first", retry: "new later" }[kind]);
      },
    );

    test("a request that took over and failed leaves what it took over, and does not count", async () => {
      await claim("first");
      await charge("first", LEFT);
      for (let time = 0; time < 9; time++) {
        expect(await claim(`again_${time}`)).toBe("new first");
        await ledger.abandon(attemptOf(`again_${time}`));
      }
    });

    test.each<[ReplayKind, "answers" | "writes"]>([
      ["key", "answers"],
      ["key", "writes"],
      ["retry", "answers"],
      ["retry", "writes"],
    ])("a %s is left as before where the charge of what took it over loses its %s", async (kind, lost) => {
      await claim("first", { kind });
      await charge("first", { kind, ...LEFT });
      await claim("second", { kind });
      const { id: _, ...made } = chargeFor("second");
      const second = { ...made, id: "first.1" };
      const row = { ...attemptOf("second", { kind }), requestId: "first" };
      if (lost === "answers") {
        losses.answers = 1;
        await expect(ledger.charge(second, requestFor(second), row)).rejects.toThrow("cannot be reached");
      }
      await ledger.cancel(second, row);
      expect(await claim("third", { kind })).toBe("new first");
      expect((await ledger.totals("org")).costMicros).toBe(7);
    });

    test("a client that left after its repetition was charged leaves that one's row", async () => {
      const retry = { kind: "retry", isRepetition: false } as const;
      const begun = now();
      await charge("second", { kind: "retry" });
      await charge("first", { ...retry, ...LEFT, createdAt: begun });
      expect(await claim("third", { kind: "retry" })).toBe("replay second");
    });

    test("an original takes over its repetition whose client left while it ran", async () => {
      const begun = now();
      clock.pass(2000);
      await charge("second", { kind: "retry", ...LEFT });
      const original = { kind: "retry", isRepetition: false, createdAt: begun } as const;
      expect(await claim("first", original)).toBe("new second");
      expect(await claim("other", original)).toBe("new other");
    });

    test("a charge that another request booked is not voided", async () => {
      const { made } = await charge("second");
      await ledger.cancel({ ...made, requestId: "first" });
      expect((await ledger.totals("org")).costMicros).toBe(7);
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
