/**
 * The points of a bucket that a node holds in advance: as many as it used in the busier of two recent periods, if those were
 * more than a few requests, and never more than a small part of the capacity. What a period leaves over is returned.
 */
import { type Exchange, LOAN_MS, timeFor } from "../bucket.ts";
import type { Level, Take } from "../limits.ts";

/** A period, and how long a node holds what it took in advance. A loan lasts much longer in the store. */
export const HOLD_MS = 250;

const TAKES_MIN = 4; // in a period
const CAPACITY_PART = 1 / 32;

type Period = { takes: number; points: number };
const NONE: Period = { takes: 0, points: 0 };

/** An ask for a bucket, and when it was sent: what is lent is held from then on. */
export type Asked = { take: Take; sentAt: number };

export class HeldPoints {
  readonly #holder: string;
  /** The level at the store, without the points held here, and since when it is known. */
  #level = 0;
  #knownAt = Number.NEGATIVE_INFINITY;
  #perMinute = 0;
  #unused = 0;
  /** What the last loan had at its begin, and when that was: until it is ended, the bucket refills to that much less. */
  #lent = 0;
  #lentAt = Number.NEGATIVE_INFINITY;
  #isExchanging = false;
  /** When a loan was last requested, and whether an answer is missing since: the store may hold points for this node. */
  #requestedAt = Number.NEGATIVE_INFINITY;
  #isUnsettled = false;
  #periodAt = Number.NEGATIVE_INFINITY;
  #before = NONE;
  #period = NONE;

  constructor(holder: string) {
    this.#holder = holder;
  }

  /** Whether nothing is left to return, and no recent use to remember. */
  isIdle(now: number): boolean {
    const isSettled = !this.#isOpen(now) && !this.#isExchanging && !this.#mayOwe(now);
    return isSettled && !isWithin(2 * HOLD_MS, this.#periodAt, now);
  }

  /** Whether the cost can be taken from what is held, or for a cost of 0 whether the level is recent. */
  covers({ cost, perMinute }: Take, now: number): boolean {
    if (perMinute !== this.#perMinute) return false;
    return cost === 0
      ? isWithin(HOLD_MS, this.#knownAt, now)
      : cost <= this.#unused && isWithin(HOLD_MS, this.#lentAt, now);
  }

  take({ cost }: Take, now: number): Level {
    this.#unused -= cost;
    this.#count(cost, now);
    return this.withHeld({ points: this.#level, retryMs: 0, resetMs: 0 });
  }

  /** The same ask, with an exchange where there is something to return or to borrow; one at a time. */
  ask(take: Take, now: number): Take {
    const requested = take.cost > 0 ? this.#needed(take.perMinute, now) : 0;
    const hasCause = requested > 0 || (take.cost > 0 && this.#unused > 0);
    if (!hasCause || this.#isExchanging) return take;
    if (requested > 0) this.#requestedAt = now;
    return { ...take, exchange: this.#exchange(requested) };
  }

  /** An ask that ends a loan which is or may be open, and returns what is left of it; null where there is none for so long. */
  leftover(bucket: Take["bucket"], heldMs: number, now: number): Take | null {
    const isDue = this.#isOpen(now) && !isWithin(heldMs, this.#lentAt, now);
    if (this.#isExchanging || !(isDue || this.#mayOwe(now))) return null;
    return { bucket, cost: 0, perMinute: this.#perMinute, exchange: this.#exchange(0) };
  }

  /** One that is used up is, too. */
  #isOpen(now: number): boolean {
    return this.#unused > 0 || (this.#lent > 0 && isWithin(LOAN_MS, this.#lentAt, now));
  }

  #mayOwe(now: number): boolean {
    return this.#isUnsettled && isWithin(LOAN_MS, this.#requestedAt, now);
  }

  #exchange(requested: number): Exchange {
    this.#isExchanging = true;
    const returned = this.#unused;
    this.#unused = 0;
    return { holder: this.#holder, returned, requested };
  }

  /** It is unknown whether the store lent or took back: what was to be exchanged is not held any more. */
  failed({ take: { exchange } }: Asked): void {
    if (exchange) this.#isExchanging = false;
    this.#isUnsettled = true;
  }

  /** Holds what the store lent. Without a loan in its answer, another limit refused: it is as it was. */
  answered(level: Level | undefined, { take: { exchange }, sentAt }: Asked): void {
    if (!exchange) return;
    this.#isExchanging = false;
    this.#unused = level?.lent ?? exchange.returned;
    if (level?.lent === undefined) return;
    [this.#lent, this.#lentAt] = [level.lent, sentAt];
    this.#isUnsettled = false;
  }

  follow({ points }: Level, { take: { perMinute }, sentAt }: Asked): void {
    [this.#level, this.#knownAt, this.#perMinute] = [points, sentAt, perMinute];
  }

  /** The store admitted the ask. */
  admitted({ cost }: Take, now: number): void {
    if (cost > 0) this.#count(cost, now);
  }

  /** What the store has, and what is held here. */
  withHeld({ points, retryMs }: Level): Level {
    const all = points + this.#unused;
    return { points: all, retryMs, resetMs: timeFor(this.#perMinute - all, this.#perMinute) };
  }

  #count(points: number, now: number): void {
    if (!isWithin(HOLD_MS, this.#periodAt, now)) {
      this.#before = isWithin(2 * HOLD_MS, this.#periodAt, now) ? this.#period : NONE;
      this.#period = NONE;
      this.#periodAt = now;
    }
    const { takes, points: before } = this.#period;
    this.#period = { takes: takes + 1, points: before + points };
  }

  #needed(perMinute: number, now: number): number {
    if (!isWithin(2 * HOLD_MS, this.#periodAt, now)) return 0;
    const busy = [this.#before, this.#period].filter(({ takes }) => takes >= TAKES_MIN);
    const points = Math.max(0, ...busy.map((period) => period.points));
    return Math.floor(Math.min(points, perMinute * CAPACITY_PART));
  }
}

/** Whether it happened so recently; not if the clock was stepped back since. */
export const isWithin = (ms: number, at: number, now: number): boolean => at <= now && now < at + ms;
