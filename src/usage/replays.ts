/**
 * What the work of one request does about being sent again; see `ledger/booking/replay.ts`.
 *
 *   enter: running here (409) ──> identify ──> running or used (409)
 *                                         ├──> replay: no charge
 *                                         └──> new: the charge's ids and the row that it leaves
 *                                              of a request that was left or has stopped, or of its own
 *
 * Two attempts that a client counts may overlap, since it gave up on the first. The one that is charged later asks again
 * before its charge, and is then the replay of the other.
 */
import { createHash } from "node:crypto";
import { Refusal } from "../errors.ts";
import type { Attempt, ChargedAttempt, Claimed } from "../ledger/booking/replay.ts";
import type { Ledger } from "../ledger/ledger.ts";
import type { RequestContext } from "./request-log.ts";

/** OpenAI's libraries wait longer. */
const REPETITION_AFTER_MS = 200;

type Claims = Pick<Ledger, "claim" | "renew" | "abandon" | "settle">;

export class Replays {
  readonly #ledger: Claims;
  readonly #context: RequestContext;
  #attempt: Attempt | null = null;
  #claimed: Claimed | null = null;
  #isCharged = false;
  /** Of the Idempotency-Key that it holds on this node. */
  #held: string | null = null;
  /** Whether another attempt may have been charged since this one was identified. */
  #isOvertaken = false;
  /** Why the request is refused unless it is a replay. */
  #refusal: unknown = null;

  constructor(ledger: Claims, context: RequestContext) {
    this.#ledger = ledger;
    this.#context = context;
  }

  /** Whether this may turn out to be a request that was charged. */
  get #isPossible(): boolean {
    const { repeating } = this.#context;
    return !!repeating && (repeating.key !== null || repeating.attempt > 0);
  }

  /** Checks what a replay does not need, such as credit: the first request may have taken the last of it. */
  async unlessReplay(check: () => Promise<void> | void): Promise<void> {
    try {
      await check();
    } catch (refusal) {
      if (!this.#isPossible) throw refusal;
      this.#refusal ??= refusal;
    }
  }

  refuseUnlessReplay(): void {
    if (this.#refusal !== null && this.of === null) throw this.#refusal;
  }

  /** The request that was charged for this work; null unless this is a replay. */
  get of(): string | null {
    return this.#claimed?.state === "replay" ? this.#claimed.requestId : null;
  }

  /** The request that the ids of charges are made of. */
  get requestId(): string {
    return this.#claimed?.requestId ?? this.#context.id;
  }

  /** Before admission, so that it costs nothing. Refuses a request whose key another request on this node holds. */
  enter(running: Iterable<Replays>): void {
    const { repeating, principal } = this.#context;
    if (!repeating || repeating.key === null) return;
    const name = [principal.keyId, repeating.path, repeating.key].join("\0");
    for (const other of running) if (other.#held === name) refuse("running");
    this.#held = name;
  }

  /**
   * `fingerprint`: of the content, made only where it is needed. `now` in Unix seconds. `giveBack`: what admission took, where
   * another node runs the request that holds the key.
   */
  async identify(
    fingerprint: () => Promise<string>,
    now: number,
    giveBack: () => Promise<unknown>,
  ): Promise<void> {
    const { repeating, principal, id: holderId } = this.#context;
    if (!repeating) return;
    const content = await fingerprint();
    const { organizationId, keyId } = principal;
    const { key, path } = repeating;
    const name = [key === null ? "retry" : "key", keyId, path, key ?? content].join("\0");
    const attempt: Attempt = {
      kind: key === null ? "retry" : "key",
      organizationId,
      id: createHash("sha256").update(name).digest("base64url"),
      fingerprint: content,
      isRepetition: this.#isPossible,
      holderId,
      createdAt: now,
    };
    if (this.#isPossible) this.#claimed = await this.#ledger.claim(attempt);
    if (this.#claimed?.state === "running") await giveBack().catch(() => {});
    if (this.#claimed) refuse(this.#claimed.state);
    this.#attempt = attempt;
    this.refuseUnlessReplay();
    this.#isOvertaken = this.#isRetry;
    this.#found();
  }

  get #isRetry(): boolean {
    return this.#attempt?.kind === "retry" && this.#isPossible;
  }

  #found(): void {
    if (this.of === null) return;
    this.#held = null;
    this.#context.replayed?.();
  }

  /** The client gave up on the attempts at the same that are still running. */
  overtake(running: Iterable<Replays>): void {
    if (!this.#isRetry) return;
    for (const other of running) if (other.#attempt?.id === this.#attempt!.id) other.#isOvertaken = true;
  }

  /**
   * Before the first charge: whether another attempt may have been charged. An original may have been repeated at another node,
   * where it took longer than libraries wait before they send it again.
   */
  mayBeCharged(begunMs: number, nowMs: number): boolean {
    if (this.of !== null || this.#hasTakenOver || this.#attempt?.kind !== "retry") return false;
    return this.#isOvertaken || nowMs - begunMs >= REPETITION_AFTER_MS;
  }

  async askAgain(nowMs: number): Promise<void> {
    const again = this.#isOvertaken ? { createdAt: Math.floor(nowMs / 1000), isRepetition: true } : {};
    const claimed = await this.#ledger.claim({ ...this.#attempt!, ...again });
    this.#claimed = claimed;
    this.#found();
  }

  get #hasTakenOver(): boolean {
    return this.requestId !== this.#context.id;
  }

  /** The row that the last charge of the request leaves, also where its client `isLeft`. */
  charged(isLeft = false): ChargedAttempt | undefined {
    return this.#attempt ? { ...this.#attempt, requestId: this.requestId, isLeft } : undefined;
  }

  /** That charge is booked. */
  settled(): void {
    this.#isCharged = true;
    this.#held = null;
  }

  /** The work is done and cost nothing. */
  async settle(): Promise<void> {
    const attempt = this.charged();
    if (!attempt || this.of !== null) return;
    await this.#ledger.settle(attempt);
    this.settled();
  }

  /** Whether it holds its key, and nothing was charged. */
  get isRunning(): boolean {
    return this.#attempt?.kind === "key" && this.#claimed?.state === "new" && !this.#isCharged;
  }

  /** To be called often while the work runs. */
  async renew(now: number): Promise<void> {
    if (this.isRunning) await this.#ledger.renew({ ...this.#attempt!, createdAt: now });
  }

  /** The work has ended, and nothing was charged: the next attempt is as if it were the first. */
  abandon(): Promise<void> {
    return this.#ledger.abandon(this.#attempt!);
  }
}

const REFUSALS = {
  running: [
    "idempotency_in_progress",
    "The first request with this Idempotency-Key is still running. Try again in a moment.",
  ],
  used: [
    "idempotency_key_used",
    "The request with this Idempotency-Key was sent too often or too long ago to be repeated. Send another key.",
  ],
  reused: [
    "idempotency_key_reused",
    "This Idempotency-Key was sent with another request. Send another key, or the same request.",
  ],
} as const;

function refuse(state: Claimed["state"]): void {
  if (state === "new" || state === "replay") return;
  const [code, message] = REFUSALS[state];
  throw new Refusal(code, message, state === "running" ? { retryAfterSeconds: 1 } : {});
}
