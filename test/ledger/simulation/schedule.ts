/**
 * One schedule: nodes that write to one database, and a scheduler that decides before every statement whose turn it is.
 *
 *   node 1   begin  lock ...........parked.......... load  save  commit      each statement is a point where others go on;
 *   node 2         begin  lock  load  save  commit ^                         a lock that is held parks the transaction that asks for it
 *
 * A connection may be lost before a statement, an answer after it, a node for ever; nodes repeat what failed, take it
 * back, or leave it. After every commit what is stored is held against the reference model. The same seed is the same
 * schedule: one statement runs at a time, and one node at most waits for a lock. In every tenth seed more may wait, and
 * whom the server lets go first is its own choice: only such a seed may take another course when it runs again.
 */
import { drizzle } from "drizzle-orm/node-postgres";
import type { Ask, PostgresDatabase, Statement } from "../../../src/db/open-postgres.ts";
import * as tables from "../../../src/db/postgres/tables.ts";
import type { Outcome, Write } from "../../../src/ledger/booking/write.ts";
import { openPostgresStore } from "../../../src/ledger/postgres.ts";
import type { Store } from "../../../src/ledger/store.ts";
import { takes } from "../../until.ts";
import { type Connection, type Fixture, storedIn } from "./database.ts";
import { Reference } from "./reference.ts";
import { chargeAgain, type Random, randomOf, workloadOf } from "./workload.ts";

const LOST = 0.04;
const KILLED = 0.02;
const CROWDED = 10;
/** As long as a statement may take before it is asked whether it waits for a lock. */
const TIMEOUT_MS = 2;
const DEADLOCK_MS = 5000;

type Asked = { statement: Statement; resolve: (rows: object[]) => void; reject: (reason: Error) => void };

/** A statement that is on its way; it is parked where it waits for a lock. `end` does what its answer leads to. */
type Sent = { answered: Promise<void>; isAnswered: boolean; isParked: boolean; end: () => Promise<void> };

/** How a store locks; a test puts a faulty way here. */
export type Locking = (ask: Ask) => Ask;

type Node = {
  name: string;
  connection: Connection;
  store: Store;
  todo: Write[][];
  writes: Write[] | null;
  /** What must be answered to the batch that was committed last. */
  expected: object[] | null;
  asked: Asked[];
  sent: Sent | null;
  isKilled: boolean;
};

type Parts = { fixture: Fixture; seats: Seat[]; reader: Connection; locking: Locking };

/** A connection, and a store that a node of each schedule uses on it, one after the other. */
export type Seat = { connection: Connection; store: Store; connected: PostgresDatabase["connected"] };

export function seatOn(connection: Connection): Seat {
  const seat: Seat = { connection, store: null as never, connected: null as never };
  const database = { ...UNUSED, connected: (work) => seat.connected(work) } as PostgresDatabase;
  seat.store = openPostgresStore(database, async () => {});
  return seat;
}

let runs = 0;

export class Schedule {
  readonly trace: string[] = [];
  readonly #parts: Parts;
  readonly #random: Random;
  readonly #reference = new Reference();
  readonly #organizations: string[];
  readonly #isCrowded: boolean;
  readonly #nodes: Node[];
  #failure: unknown = null;

  constructor(seed: number, parts: Parts) {
    this.#parts = parts;
    this.#random = randomOf(seed);
    this.#isCrowded = seed % CROWDED === 0;
    const { organizations, nodes } = workloadOf(this.#random, `org_${runs++}_${seed}`);
    this.#organizations = organizations;
    this.#nodes = nodes.map((todo, index) => this.#nodeOf(`node ${index + 1}`, parts.seats[index]!, todo));
  }

  #nodeOf(name: string, seat: Seat, todo: Write[][]): Node {
    const node: Node = {
      name,
      connection: seat.connection,
      todo,
      store: seat.store,
      writes: null,
      expected: null,
      asked: [],
      sent: null,
      isKilled: false,
    };
    const ask: Ask = (statement) =>
      new Promise((resolve, reject) => node.asked.push({ statement, resolve, reject }));
    seat.connected = async (work) => {
      if (node.isKilled) throw new Gone();
      return work(this.#parts.locking(ask));
    };
    return node;
  }

  async run(): Promise<void> {
    for (;;) {
      const able = this.#nodes.filter((node) => isAble(node));
      const calm = able.filter((node) => this.#isCalm(node));
      const ready = calm.length > 0 ? calm : able;
      if (this.#failure) throw this.#failure;
      if (ready.length > 0) await this.#step(this.#random.oneOf(ready));
      else if (this.#nodes.some(({ sent }) => sent)) await this.#unlock();
      else return;
    }
  }

  /** Who was given a lock just after it was seen to wait goes on; the server ends a deadlock well before this gives up. */
  async #unlock(): Promise<void> {
    for (const endsMs = performance.now() + DEADLOCK_MS; performance.now() < endsMs; ) {
      await this.#release();
      if (this.#failure || this.#nodes.some(isAble) || !this.#nodes.some(({ sent }) => sent)) return;
    }
    throw new Error("every node waits for another: a deadlock");
  }

  /** If it can be, only one node waits for a lock, but in crowded schedules. */
  #isCalm({ asked }: Node): boolean {
    const next = asked[0]?.statement.name;
    const mayWait = next === "ledger_lock" || next === "ledger_create";
    return this.#isCrowded || !mayWait || !this.#nodes.some((node) => node.sent);
  }

  /** Leaves no transaction open where the schedule went wrong. */
  async end(): Promise<void> {
    for (const node of this.#nodes) node.isKilled = true;
    await Promise.all(
      this.#nodes.map(({ connection }) => connection.client.query("rollback").catch(() => {})),
    );
    for (const node of this.#nodes) for (const { reject } of node.asked.splice(0)) reject(new Gone());
  }

  async #step(node: Node): Promise<void> {
    if (node.writes === null) {
      this.#begin(node, node.todo.shift()!);
      return tick();
    }
    const asked = node.asked.shift()!;
    const isKilled = this.#random.chance(KILLED);
    const isLost = isKilled || this.#random.chance(LOST);
    const isSent = !isLost || this.#random.chance(0.5);
    const { name, text } = asked.statement;
    const fate = isLost ? ` ${isKilled ? "killed" : "lost"} ${isSent ? "after" : "before"}` : "";
    this.trace.push(`${node.name}: ${name ?? text.slice(0, 8)}${fate}`);
    node.isKilled ||= isKilled;
    if (!isSent) {
      await this.#lose(node, asked);
      return this.#release();
    }
    node.sent = this.#send(node, asked, isLost);
    await this.#settle(node);
  }

  #begin(node: Node, writes: Write[]): void {
    this.trace.push(`${node.name} begins ${writes.map((write) => Object.keys(write)[0]).join(", ")}`);
    node.writes = writes;
    node.store.apply(writes).then(
      (outcomes) => this.#answered(node, outcomes),
      (error) => this.#failed(node, error),
    );
  }

  #answered(node: Node, outcomes: Outcome[]): void {
    node.writes = null;
    if (!Bun.deepMatch({ outcomes: node.expected }, { outcomes }))
      this.#failure ??= different("answered", outcomes, node.expected);
  }

  /** No response was sent: charges are taken back, or asked for again by another node, or left as they are. */
  #failed(node: Node, error: unknown): void {
    const writes = node.writes ?? [];
    node.writes = null;
    if (!(error instanceof Gone)) this.#failure ??= error;
    const charges = writes.flatMap((write) => ("charge" in write ? [write.charge] : []));
    if (charges.length === 0 || this.#random.chance(0.2)) return;
    const others = this.#nodes.filter(({ isKilled }) => !isKilled);
    if (!node.isKilled) node.todo.push(charges.map((charge) => ({ void: charge })));
    else if (others.length > 0) this.#random.oneOf(others).todo.push(charges.map(chargeAgain));
  }

  #send(node: Node, asked: Asked, isLost: boolean): Sent {
    let end: Sent["end"];
    const answered = node.connection.client.query(untimed(asked.statement)).then(
      (result) => {
        sent.isAnswered = true;
        end = () => this.#end(node, asked, { rows: result.rows ?? [], command: commandOf(result), isLost });
      },
      (error) => {
        sent.isAnswered = true;
        this.#failure ??= error; // nothing that nodes do to each other is an error
        end = async () => asked.reject(error);
      },
    );
    const sent: Sent = { answered, isAnswered: false, isParked: false, end: () => end() };
    return sent;
  }

  async #end(node: Node, asked: Asked, answer: { rows: object[]; command: string; isLost: boolean }) {
    if (answer.command === "COMMIT") await this.#committed(node);
    if (answer.isLost) await this.#lose(node, asked);
    else asked.resolve(answer.rows);
    if (answer.isLost || answer.command === "COMMIT" || answer.command === "ROLLBACK") await this.#release();
  }

  /** The connection is gone, and with it what was not committed. */
  async #lose(node: Node, asked: Asked): Promise<void> {
    await node.connection.client.query("rollback");
    for (const { reject } of [asked, ...node.asked.splice(0)]) reject(new Gone());
    await tick();
  }

  /** Until its statement is answered and done with, or known to wait for a lock. */
  async #settle(node: Node): Promise<void> {
    const sent = node.sent!;
    sent.isParked = false;
    while (!sent.isAnswered && !sent.isParked) {
      await Promise.race([sent.answered, takes(TIMEOUT_MS)]);
      if (sent.isAnswered) break;
      const waiting = await this.#parts.fixture.waiting();
      sent.isParked = !sent.isAnswered && waiting.has(node.connection.pid);
    }
    if (sent.isParked) return void this.trace.push(`${node.name} waits for a lock`);
    node.sent = null;
    await sent.end();
    await tick();
  }

  /** Locks are free: the transactions that waited for them may go on. */
  async #release(): Promise<void> {
    for (const node of this.#nodes) if (node.sent?.isParked) await this.#settle(node);
  }

  async #committed(node: Node): Promise<void> {
    node.expected = this.#reference.commit(node.writes ?? []);
    const stored = await storedIn(this.#parts.reader, this.#organizations);
    const [actual, expected] = this.#reference.compare(this.#organizations, stored);
    if (!Bun.deepEquals(actual, expected)) this.#failure ??= different("stored", actual, expected);
  }
}

const isAble = ({ sent, asked, writes, todo, isKilled }: Node): boolean =>
  sent === null && (asked.length > 0 || (writes === null && todo.length > 0 && !isKilled));

/** What a node is told of a connection that the schedule took away. */
class Gone extends Error {}

/** All else of a database: no schedule asks for it. */
const UNUSED = { query: drizzle.mock(), tables } as unknown as PostgresDatabase;

/** Everything that follows from an answer without another one has happened. */
const tick = () => new Promise<void>((resolve) => setImmediate(resolve));

const commandOf = (result: { command: string } | { command: string }[]): string =>
  [result].flat().at(-1)!.command;

const different = (what: string, actual: unknown, expected: unknown) =>
  new Error(
    `${what}: ${JSON.stringify(actual, null, 1)}\nthe model says: ${JSON.stringify(expected, null, 1)}`,
  );

/** Without time-outs: the order of statements is what is tested, and a busy machine may take long over it. */
const untimed = (statement: Statement): Statement => ({
  ...statement,
  text: statement.text.replace(/(_timeout) = '\d+s'/g, "$1 = 0"),
});
