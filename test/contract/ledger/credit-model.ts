/** Credit as a plain list of coins, one for each grant, in memory: every ledger store must agree with it. */

import { monthOf, type NewGrant } from "../../../src/ledger/booking/burn-down.ts";
import type { RequestLog } from "../../../src/ledger/booking/write.ts";
import type { Plan } from "../../../src/plans.ts";

export type Coin = {
  id: string;
  left: number;
  /** What of it paid overdraft off. */
  settled: number;
  /** Its amount, and what was taken back of it. */
  micros: number;
  reversed: number;
  expiresAt: number;
  createdAt: number;
  kind: NewGrant["kind"];
};

export type Burns = [string, number][];

export type Taken = { micros: number; burns: Burns; owed: number; plan: Plan };

function add(sums: Map<number, number>, key: number, micros: number): void {
  sums.set(key, (sums.get(key) ?? 0) + micros);
}

export class Model {
  coins: Coin[] = [];
  overdraft = 0;
  granted = 0;
  settled = 0;
  burned = 0;
  spent = 0;
  unmetered = 0;
  purchased = 0;
  /** What each month came to at list price, and what of it was not paid. */
  months = new Map<number, number>();
  unmeteredMonths = new Map<number, number>();
  requests = new Map<string, RequestLog>();

  grant({ id, amountMicros: micros, createdAt, expiresAt, kind }: NewGrant) {
    if (kind === "purchase") this.purchased += micros;
    this.granted += micros;
    const ends = expiresAt ?? Number.POSITIVE_INFINITY;
    const coin = { id, left: micros, settled: 0, micros, reversed: 0, expiresAt: ends, createdAt, kind };
    this.coins.push(coin);
    this.settle(coin, Math.min(this.overdraft, micros));
  }

  charge(micros: number, now: number, plan: Plan = "prepaid"): Burns {
    this.count(micros, now, plan);
    return plan === "unmetered" ? [] : this.take(micros, now);
  }

  /** As if it had never been charged. `owed` of it was overdraft then. */
  takeBack({ micros, burns, owed, plan }: Taken, now: number): void {
    this.count(-micros, now, plan);
    if (plan === "unmetered") return;
    for (const [id, paid] of burns) {
      this.coins.find((coin) => coin.id === id)!.left += paid;
      this.burned -= paid;
    }
    this.overdraft -= owed;
    const newest = this.coins.toSorted((a, b) => b.createdAt - a.createdAt || (a.id > b.id ? -1 : 1));
    for (const coin of newest) this.settle(coin, -Math.min(Math.max(0, -this.overdraft), coin.settled));
    for (let next = this.next(now); next && this.overdraft > 0; next = this.next(now))
      this.settle(next, Math.min(next.left, this.overdraft));
  }

  /** As if so much less had been charged: what was paid last comes back first. */
  refund({ micros: charged, burns, owed, plan }: Taken, micros: number, now: number): Taken {
    const kept = plan === "unmetered" ? 0 : charged - micros;
    const left: Burns = [];
    for (const [id, paid] of burns) {
      const before = left.reduce((sum, [, each]) => sum + each, 0);
      left.push([id, Math.min(paid, kept - before)]);
    }
    const covered = left.reduce((sum, [, each]) => sum + each, 0);
    const back = burns.map(([id, paid], index): [string, number] => [id, paid - left[index]![1]]);
    const part = {
      ...{ micros, plan },
      burns: back.filter(([, each]) => each > 0).toReversed(),
      owed: plan === "unmetered" ? 0 : owed - (kept - covered),
    };
    this.takeBack(part, now);
    return part;
  }

  count(micros: number, now: number, plan: Plan): void {
    this.spent += micros;
    add(this.months, monthOf(now), micros);
    if (plan === "prepaid") return;
    this.unmetered += micros;
    add(this.unmeteredMonths, monthOf(now), micros);
  }

  settle(coin: Coin, micros: number): void {
    coin.left -= micros;
    coin.settled += micros;
    this.settled += micros;
    this.overdraft -= micros;
  }

  /** What an operator takes back: no more than it was, and without `overdraft` no more than there is. */
  correct(coin: Coin, micros: number, { now, overdraft }: { now: number; overdraft: boolean }) {
    const others = this.coins.filter((each) => each !== coin && each.expiresAt > now);
    const there = others.reduce((sum, { left }) => sum + left, coin.left);
    const available = Math.min(
      Math.max(0, coin.micros - coin.reversed),
      overdraft ? Number.POSITIVE_INFINITY : there,
    );
    if (micros > available) return { availableMicros: available };
    const { purchased } = this;
    const burns = this.reverse(coin, micros, now);
    this.purchased = purchased; // what was paid stays paid
    return { burns };
  }

  /** The coin itself first, whatever its day. */
  reverse(coin: Coin, micros: number, now: number): Burns {
    coin.reversed += micros;
    if (coin.kind === "purchase") this.purchased = Math.max(0, this.purchased - micros);
    const part = Math.min(micros, coin.left);
    coin.left -= part;
    this.burned += part;
    return [...(part > 0 ? [[coin.id, part] as [string, number]] : []), ...this.take(micros - part, now)];
  }

  /** Whose turn it is to pay. */
  next(now: number): Coin | null {
    const live = this.coins.filter(({ left, expiresAt }) => left > 0 && expiresAt > now);
    return live.reduce<Coin | null>((best, coin) => {
      if (best === null || coin.expiresAt < best.expiresAt) return coin;
      if (coin.expiresAt > best.expiresAt || coin.createdAt > best.createdAt) return best;
      return coin.createdAt < best.createdAt || coin.id < best.id ? coin : best;
    }, null);
  }

  take(micros: number, now: number): Burns {
    const burns: Burns = [];
    for (let owed = micros; owed > 0; ) {
      const next = this.next(now);
      if (next === null) {
        this.overdraft += owed;
        return burns;
      }
      const pays = Math.min(owed, next.left);
      next.left -= pays;
      this.burned += pays;
      owed -= pays;
      burns.push([next.id, pays]);
    }
    return burns;
  }

  balance(now: number) {
    return this.coins.reduce((sum, { left, expiresAt }) => sum + (expiresAt > now ? left : 0), 0);
  }
}
