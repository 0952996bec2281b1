/**
 * Chooses the order of everything: whatever nodes do stands at gates, and one gate at a time is opened, at random.
 * A node that crashes never comes through another gate.
 */
import type { Database } from "../../src/db/database.ts";
import { Refusal } from "../../src/errors.ts";
import type { Ledger } from "../../src/ledger/ledger.ts";
import type { Chance } from "../fuzz/random.ts";

type Waiting = {
  node: number;
  name: string;
  sinceMs: number;
  open: () => void;
  lose: (why: unknown) => void;
};

const TIMEOUT_MS = 60_000; // as long as a call to the payment service may take with all its repetitions

export function openOrders(chance: Chance, now: () => number) {
  const waiting: Waiting[] = [];
  const dead = new Set<number>();
  let isCalm = false;
  const nodeName = (node: number, name: string) =>
    new Promise<void>((open, lose) => {
      if (!dead.has(node)) waiting.push({ node, name, sinceMs: now(), open, lose });
    });

  /** All actors go on until they wait at a gate. */
  const calm = () => new Promise<void>((resolve) => setImmediate(resolve));

  async function step(): Promise<boolean> {
    await calm();
    const next = waiting.splice(chance.below(waiting.length), 1)[0];
    if (!next) return false;
    const isCall = !next.name.startsWith("here");
    if (isCall && (now() - next.sinceMs > TIMEOUT_MS || (!isCalm && chance.once(12))))
      next.lose(new Refusal("service_unavailable", "lost on its way", { retryAfterSeconds: 5 }));
    else next.open();
    await calm();
    return true;
  }

  return {
    /** Of a call to the payment service: it may be lost there. */
    gate: (node: number) => (name: string) => nodeName(node, name),
    database: (database: Database, node: number) =>
      gatedDatabase(database, () => nodeName(node, "here: a statement")),
    ledger: (ledger: Ledger, node: number) => gatedLedger(ledger, () => nodeName(node, "here: the ledger")),
    step,
    /** From here on nothing is lost. */
    calmDown(): void {
      isCalm = true;
    },
    crash(node: number): void {
      dead.add(node);
      for (let index = waiting.length - 1; index >= 0; index--)
        if (waiting[index]!.node === node) waiting.splice(index, 1);
    },
  };
}

function gatedDatabase(database: Database, gate: () => Promise<void>): Database {
  const gated = <T extends object>(builder: T): T =>
    new Proxy(builder, {
      get(target, name) {
        const value = Reflect.get(target, name);
        if (typeof value !== "function") return value;
        if (name === "then")
          return (done: () => void, failed: () => void) =>
            gate()
              .then(() => target as never)
              .then(done, failed);
        return (...args: unknown[]) => {
          const result = value.apply(target, args);
          const goesOn = ["then", "from", "values", "set"].some(
            (each) => typeof result?.[each] === "function",
          );
          return goesOn ? gated(result) : result;
        };
      },
    });
  return {
    ...database,
    query: gated(database.query),
    atomically: (statements) => gate().then(() => database.atomically(statements)),
    ifChanged: (change, then) => gate().then(() => database.ifChanged(change, then)),
  };
}

/** A write that is lost may have been made: its node crashes before the answer, or after it. */
function gatedLedger(ledger: Ledger, gate: () => Promise<void>): Ledger {
  const around = async <T>(work: () => Promise<T>): Promise<T> => {
    await gate();
    const answer = await work();
    await gate();
    return answer;
  };
  return {
    ...ledger,
    credit: (organizationId) => around(() => ledger.credit(organizationId)),
    grant: (grant) => around(() => ledger.grant(grant)),
    reverse: (reversal) => around(() => ledger.reverse(reversal)),
  };
}
