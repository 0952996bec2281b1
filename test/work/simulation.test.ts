/**
 * Promise: however nodes take turns, crash, stop or lose their clocks' pace, each row of work is done at least once or given
 * up after its attempts, by one node at a time, and none stays. `SEED=… bun test test/work/simulation.test.ts` runs one schedule.
 */
import { afterAll, expect, test } from "bun:test";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { sql } from "drizzle-orm";
import type { Database } from "../../src/db/database.ts";
import { openPostgres } from "../../src/db/open-postgres.ts";
import { openSqlite } from "../../src/db/open-sqlite.ts";
import { type NewWork, openWorkRows, type WorkRow } from "../../src/db/queries/work-rows.ts";
import { afterFailure, givenBack, isAttempted, type Rules } from "../../src/work/decisions.ts";
import { openPostgres as openServer } from "../faults/server-fixture.ts";
import { type Random, randomOf } from "../ledger/simulation/workload.ts";
import { putMigrated } from "../migrated.ts";

const seed = Bun.env.SEED;
const seeds = seed === undefined ? null : [Number(seed)];
const RUN_MS = 600_000;
const LEASE_MS = 30_000;
const RULES: Rules = { attemptsMax: 3, pauseMs: (attempts) => attempts * 10_000, atOnce: 3, groupAtOnce: 2 };

type Held = { row: WorkRow; leaseEndMs: number };
type SimulatedNode = { name: string; held: Map<string, Held>; isGone: boolean };
type Facts = { done: number; begun: number; isGivenUp: boolean; isFinished: boolean };

/** One schedule: a scheduler draws which node takes its next step, and whether that step is its last. */
class Simulation {
  readonly #random: Random;
  readonly #rows: ReturnType<typeof openWorkRows>;
  readonly #facts = new Map<string, Facts>();
  readonly #nodes: SimulatedNode[] = [];
  readonly trace: string[] = [];
  #nowMs = 1_000_000;
  #made = 0;

  constructor(seed: number, database: Database) {
    this.#random = randomOf(seed);
    this.#rows = openWorkRows(database);
    for (let count = 2 + this.#random.below(3); count > 0; count--) this.#join();
  }

  #join(): void {
    this.#nodes.push({ name: `node ${this.#nodes.length + 1}`, held: new Map(), isGone: false });
  }

  async run(): Promise<void> {
    for (let steps = 20 + this.#random.below(40); steps > 0; steps--) await this.#step();
    for (let turn = 0; turn < 200 && (await this.#isLeft()); turn++) {
      this.#nowMs += LEASE_MS;
      const living = this.#nodes.filter(({ isGone }) => !isGone);
      if (living.length === 0) this.#join();
      for (const node of this.#nodes.filter(({ isGone }) => !isGone)) {
        await this.#claim(node);
        for (const held of [...node.held.values()]) await this.#end(node, held, "well");
      }
    }
    this.#check();
  }

  async #step(): Promise<void> {
    const node = this.#random.oneOf(this.#nodes);
    const held = node.held.size > 0 ? this.#random.oneOf([...node.held.values()]) : null;
    const deeds = [
      () => this.#add(),
      () => this.#claim(node),
      () => this.#claim(node),
      async () => void (held && (await this.#end(node, held, this.#random.chance(0.5) ? "well" : "badly"))),
      () => this.#renew(node),
      async () => {
        this.#nowMs += this.#random.oneOf([1000, 9000, LEASE_MS]);
      },
      async () => this.#random.chance(0.3) && this.#crash(node),
      async () => void (this.#random.chance(0.3) && (await this.#drain(node))),
    ];
    if (node.isGone) return this.#join();
    await this.#random.oneOf(deeds)();
  }

  async #add(): Promise<void> {
    const id = `row_${this.#made++}`;
    const group = this.#random.oneOf(["", "a", "b"]);
    const row: NewWork = { id, kind: "call", group, dueMs: this.#nowMs, payload: "{}" };
    await this.#rows.add([row, row]); // told twice
    this.#facts.set(id, { done: 0, begun: 0, isGivenUp: false, isFinished: false });
  }

  async #claim(node: SimulatedNode): Promise<void> {
    await this.#renew(node);
    const lease = { node: node.name, nowMs: this.#nowMs, leaseUntilMs: this.#nowMs + LEASE_MS };
    const max = RULES.atOnce - node.held.size;
    if (max <= 0) return;
    for (const row of await this.#rows.claim({ kind: "call", max, groupMax: RULES.groupAtOnce, ...lease })) {
      await this.#begin(node, row);
    }
  }

  async #begin(node: SimulatedNode, row: WorkRow): Promise<void> {
    this.trace.push(`${this.#nowMs} ${node.name} claims ${row.id}, attempt ${row.attempts}`);
    this.#checkAlone(row);
    const facts = this.#facts.get(row.id)!;
    if (isAttempted(row, RULES)) {
      facts.begun++;
      node.held.set(row.id, { row, leaseEndMs: this.#nowMs + LEASE_MS });
    } else if (await this.#rows.settle(row, { isEnded: true })) facts.isGivenUp = true;
  }

  /** What a row that is over is followed by, before it is settled. */
  async #next(node: SimulatedNode, row: WorkRow): Promise<void> {
    const lease = { nowMs: this.#nowMs, leaseUntilMs: this.#nowMs + LEASE_MS, except: [...node.held.keys()] };
    const next = await this.#rows.next(row, { node: node.name, ...lease });
    if (next === null) return;
    if (next.group !== row.group) throw new Error(`${next.id} follows a row of another group`);
    await this.#begin(node, next);
  }

  /** No other living node still has a lease for it. */
  #checkAlone({ id }: WorkRow): void {
    const others = this.#nodes.filter(({ held }) => (held.get(id)?.leaseEndMs ?? 0) > this.#nowMs);
    if (others.some(({ isGone }) => !isGone)) throw new Error(`${id} is done by two nodes at once`);
  }

  async #renew(node: SimulatedNode): Promise<void> {
    const ids = [...node.held.keys()];
    const untilMs = this.#nowMs + LEASE_MS;
    const kept = new Set(ids.length > 0 ? await this.#rows.renew(node.name, { ids, untilMs }) : []);
    for (const [id, held] of node.held)
      if (kept.has(id)) held.leaseEndMs = untilMs;
      else node.held.delete(id);
  }

  async #end(node: SimulatedNode, { row }: Held, how: "well" | "badly"): Promise<void> {
    const facts = this.#facts.get(row.id)!;
    this.trace.push(`${this.#nowMs} ${node.name} ends ${row.id} ${how}`);
    if (how === "well") facts.done++;
    if (this.#random.chance(0.1)) return this.#crash(node); // between the work and its row
    if (row.group !== "" && this.#random.chance(0.5)) await this.#next(node, row);
    const to = how === "well" ? { isEnded: true as const } : afterFailure(row, RULES, { nowMs: this.#nowMs });
    const isOurs = await this.#rows.settle(row, to);
    node.held.delete(row.id);
    if (isOurs && to.isEnded) facts[how === "well" ? "isFinished" : "isGivenUp"] = true;
  }

  #crash(node: SimulatedNode): void {
    this.trace.push(`${this.#nowMs} ${node.name} is killed`);
    node.isGone = true;
  }

  async #drain(node: SimulatedNode): Promise<void> {
    for (const { row } of node.held.values())
      if (await this.#rows.settle(row, givenBack(row, this.#nowMs))) this.#facts.get(row.id)!.begun--;
    this.trace.push(`${this.#nowMs} ${node.name} is drained`);
    node.isGone = true;
  }

  async #isLeft(): Promise<boolean> {
    return [...this.#facts.values()].some(({ isFinished, isGivenUp }) => !isFinished && !isGivenUp);
  }

  #check(): void {
    for (const [id, { done, begun, isFinished, isGivenUp }] of this.#facts) {
      if (isFinished === isGivenUp) throw new Error(`${id} has not ended once`);
      if (isFinished && done === 0) throw new Error(`${id} ended, and was not done`);
      if (begun > RULES.attemptsMax) throw new Error(`${id} was begun ${begun} times`);
      if (isGivenUp && begun < RULES.attemptsMax)
        throw new Error(`${id} was given up after ${begun} attempts`);
    }
  }
}

async function simulate(database: Database, count: number): Promise<void> {
  const { query, tables } = database;
  for (const each of seeds ?? Array.from({ length: count }, (_, index) => index + 1)) {
    const simulation = new Simulation(each, database);
    try {
      await simulation.run();
      expect(await query.select().from(tables.work)).toEqual([]);
    } catch (error) {
      throw new Error(`SEED=${each}: ${(error as Error).message}\n${simulation.trace.join("\n")}`, {
        cause: error,
      });
    }
  }
}

const folder = mkdtempSync(join(tmpdir(), "loquat-work-simulation-"));
afterAll(() => rmSync(folder, { recursive: true }));
const server = await openServer();
afterAll(() => server?.[Symbol.asyncDispose]());

test(
  "schedules of nodes that crash, on SQLite",
  async () => {
    await putMigrated(folder);
    await using database = openSqlite(folder);
    database.sqlite.run(sql`pragma synchronous = off`);
    await simulate(database, Number(Bun.env.SCHEDULES ?? 300));
  },
  RUN_MS,
);

test.skipIf(!server)(
  `schedules of nodes that crash, on PostgreSQL${server ? "" : " (skipped: no server at 127.0.0.1:5432)"}`,
  async () => {
    await using database = await openPostgres(server!.url);
    await simulate(database, Number(Bun.env.SCHEDULES ?? 60));
  },
  RUN_MS,
);
