/** What the outbox of mail must do on every database: each message is kept before it is asked for, and sent once if it can be. */
import { afterEach, beforeEach, describe, expect, test } from "bun:test";
import { createCipheriv, createHash, randomBytes } from "node:crypto";
import { eq } from "drizzle-orm";
import type { Database } from "../../src/db/database.ts";
import { openWorkRows } from "../../src/db/queries/work-rows.ts";
import { type Letter, type MailOutbox, openMailOutbox } from "../../src/identity/mail-outbox.ts";
import { openLog } from "../../src/log/log.ts";
import { openWork, type Work } from "../../src/work/work-queue.ts";
import { heldClock } from "../harness.ts";
import type { AccountFixture } from "./accounts/fresh-accounts.ts";

const LETTER: Letter = {
  ...{ to: "ann@example.com", subject: "Verify", lines: ["A line."], button: "Verify" },
  link: "https://voice.example.com/verify?token=a.token",
};
const HOUR = 3600;
const SECRET = "the secret of this server";
const away = () => Promise.reject(Object.assign(new Error("away"), { code: "ESOCKET" }));

export function mailOutboxContract(store: string, prepare: () => Promise<AccountFixture>) {
  describe(`the outbox of mail, ${store}`, () => {
    let fixture: AccountFixture;
    let stack: AsyncDisposableStack;
    let clock: ReturnType<typeof heldClock>;
    let logged: { event: string; again?: boolean }[];
    beforeEach(async () => {
      fixture = await prepare();
      stack = new AsyncDisposableStack();
      clock = heldClock();
      logged = [];
    });
    afterEach(async () => {
      await stack.disposeAsync();
      await fixture[Symbol.asyncDispose]();
    });

    type Node = MailOutbox & Pick<Work, "run" | "drain"> & { sent: Letter[]; database: Database };

    /** A node whose mail server answers as `deliver` does. */
    async function openNode(
      deliver: (letter: Letter) => Promise<void> = async () => {},
      secret = SECRET,
    ): Promise<Node> {
      const database = stack.use(await fixture.open());
      const sent: Letter[] = [];
      const log = openLog("debug", (line) => logged.push(JSON.parse(line)));
      const work = stack.use(openWork({ rows: openWorkRows(database), node: "test", clock, log }));
      const outbox = openMailOutbox({
        ...{ database, work, clock, log, secret: async () => secret },
        async deliver(letter) {
          await deliver(letter);
          sent.push(letter);
        },
      });
      stack.use(outbox);
      await outbox.adopt(); // that of its start
      await work.run();
      return { ...outbox, run: work.run, drain: work.drain, sent, database };
    }

    const rows = ({ database: { query, tables } }: Node) => query.select().from(tables.work);
    const again = () => logged.map((line) => line.again);

    test("a message that the mail server takes is sent once, and forgotten", async () => {
      const node = await openNode();
      expect(await (await node.post(LETTER, HOUR)).sent).toBe("sent");
      expect(await rows(node)).toEqual([]);
      clock.pass(HOUR * 1000);
      await node.run();
      expect(node.sent).toEqual([LETTER]);
    });

    test("a message is kept, unreadable, until the mail server takes it", async () => {
      let isAway = true;
      const node = await openNode(() => (isAway ? away() : Promise.resolve()));
      expect(await (await node.post(LETTER, HOUR)).sent).toBe("waiting");
      const [row] = await rows(node);
      const stored = Buffer.from(row!.payload, "base64").toString("latin1") + JSON.stringify(row);
      expect(stored).not.toMatch(/ann@|a\.token|Verify/);
      await node.run(); // it is not due
      expect(again()).toEqual([true]);
      clock.pass(60_000);
      await node.run();
      expect(again()).toEqual([true, true]);
      isAway = false;
      clock.pass(15 * 60_000);
      await node.run();
      expect([node.sent, await rows(node)]).toEqual([[LETTER], []]);
    });

    test("a message of a node that was killed while it sent is sent by another, once", async () => {
      const killed = await openNode(() => new Promise(() => {}));
      await killed.post(LETTER, HOUR);
      await killed.database.query.update(killed.database.tables.work).set({ leaseNode: "killed" }); // it renews no more
      const nodes = [await openNode(), await openNode()];
      await Promise.all(nodes.map(({ run }) => run()));
      expect(nodes.flatMap(({ sent }) => sent)).toEqual([]); // the other may still be sending
      clock.pass(30_000);
      await Promise.all(nodes.map(({ run }) => run()));
      expect(nodes.flatMap(({ sent }) => sent)).toEqual([LETTER]);
    });

    test("a message whose link has expired is not sent, and forgotten", async () => {
      const node = await openNode(away);
      await (await node.post(LETTER, 100)).sent;
      clock.pass(100_000);
      const other = await openNode();
      await other.run();
      expect([other.sent, await rows(other)]).toEqual([[], []]);
    });

    test("a message that could be tried again only after its link has expired is given up", async () => {
      const node = await openNode(away);
      expect(await (await node.post(LETTER, 60)).sent).toBe("failed");
      expect([again(), await rows(node)]).toEqual([[false], []]);
    });

    test.each([
      ["this address", { code: "EENVELOPE", responseCode: 550 }, "refused"],
      ["this server's sign-in", { code: "EAUTH", responseCode: 535 }, "failed"],
    ] as const)(
      "a message is not tried again where the mail server refuses %s for good",
      async (_what, error, state) => {
        const node = await openNode(() => Promise.reject(Object.assign(new Error("no"), error)));
        expect(await (await node.post(LETTER, HOUR)).sent).toBe(state);
        expect([again(), await rows(node)]).toEqual([[false], []]);
      },
    );

    test("a row that cannot be read is given up, and said, and others are sent", async () => {
      const node = await openNode(away);
      for (let count = 0; count < 4; count++) await (await node.post(LETTER, HOUR)).sent;
      node.drain(); // otherwise it may be the one that sends what is due
      const { query, tables } = node.database;
      const unreadable = ["", "AQ==", Buffer.alloc(200, 1).toString("base64")];
      const letters = await rows(node); // in an order that each change may change
      for (const [index, sealed] of unreadable.entries())
        await query
          .update(tables.work)
          .set({ payload: sealed })
          .where(eq(tables.work.id, letters[index]!.id));
      clock.pass(60_000);
      const other = await openNode();
      expect([other.sent, await rows(other)]).toEqual([[LETTER], []]);
      expect(again().slice(4)).toEqual([false, false, false]);
    });

    test("a message that an earlier version has kept in its own table is sent, by one node", async () => {
      const node = await openNode(away);
      await (await node.post(LETTER, HOUR)).sent;
      node.drain();
      const { query, tables } = node.database;
      const { id, payload } = (await rows(node))[0]!;
      const other = id.replace("mail_", "mail_0");
      await query.delete(tables.work);
      const notBefore = Math.floor(clock.now() / 1000);
      const waiting = { attempts: 12, notBefore, expiresAt: notBefore + HOUR };
      await query.insert(tables.mailOutbox).values([
        { id, sealed: payload, ...waiting },
        { id: other, sealed: asEarlier(other), ...waiting },
        { id: "mail_leased", sealed: payload, ...waiting, notBefore: notBefore + 60 },
      ]);
      const nodes = [await openNode(), await openNode()];
      await Promise.all(nodes.map(({ adopt }) => adopt()));
      await Promise.all(nodes.map(({ run }) => run()));
      expect(nodes.flatMap(({ sent }) => sent)).toEqual([LETTER, LETTER]);
      expect((await query.select().from(tables.mailOutbox)).map((row) => row.id)).toEqual(["mail_leased"]);
    });

    test("a message is tried five times within a day", async () => {
      const node = await openNode(away);
      await (await node.post(LETTER, 7 * 24 * HOUR)).sent;
      for (let hour = 0; hour < 24; hour++) {
        for (let quarter = 0; quarter < 4; quarter++) {
          clock.pass((HOUR / 4) * 1000);
          await node.run();
        }
      }
      expect([again(), await rows(node)]).toEqual([[true, true, true, true, false], []]);
    });

    test("a message of another secret is given up, and said", async () => {
      const first = await openNode(away);
      await (await first.post(LETTER, HOUR)).sent;
      first.drain();
      clock.pass(60_000);
      const other = await openNode(undefined, "another secret");
      await other.run();
      expect([other.sent, await rows(other)]).toEqual([[], []]);
      expect(logged.at(-1)).toMatchObject({ event: "mail_failed", again: false });
    });
  });
}

/** As 2d383a21 did, with the secret of these tests. */
function asEarlier(id: string): string {
  const key = createHash("sha256").update(`mail outbox ${SECRET}`).digest();
  const nonce = randomBytes(12);
  const cipher = createCipheriv("aes-256-gcm", key, nonce).setAAD(Buffer.from(id));
  const body = [cipher.update(JSON.stringify(LETTER)), cipher.final()];
  return Buffer.concat([nonce, ...body, cipher.getAuthTag()]).toString("base64");
}
