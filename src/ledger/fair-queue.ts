/**
 * Schedules long reads fairly: one per organization at a time, a few in parallel, in turns, so that no organization
 * waits for all the reads of another.
 *
 *   A A A A A ─┐
 *   B ─────────┼──> one of A, one of B ──> one of C, one of A …
 *   C ─────────┘
 */
import { Refusal } from "../errors.ts";
import type { Store } from "./store.ts";

const WAITING_MAX = 16; // per organization: a few users, each with a page of charts

/** The operator's pages. */
const OPERATOR = "";

export function readInTurns(store: Store, atOnce: number): Store {
  const inTurn = openTurns(atOnce);
  return {
    ...store,
    usage: (query) => inTurn(query.organizationId, () => store.usage(query)),
    requestPage: (query) => inTurn(query.organizationId, () => store.requestPage(query)),
    request: (organizationId, id) => inTurn(organizationId, () => store.request(organizationId, id)),
    latencies: (query) => inTurn(query.organizationId, () => store.latencies(query)),
    limitUse: (query) => inTurn(query.organizationId, () => store.limitUse(query)),
    load: (query) => inTurn(OPERATOR, () => store.load(query)),
    statementRows: (span) => inTurn(OPERATOR, () => store.statementRows(span)),
    businessRows: (query) => inTurn(OPERATOR, () => store.businessRows(query)),
    recentErrors: (limit) => inTurn(OPERATOR, () => store.recentErrors(limit)),
  };
}

function openTurns(atOnce: number) {
  const waiting = new Map<string, (() => void)[]>(); // in turn order: after its turn an owner moves to the end
  const running = new Set<string>();

  function next(): void {
    for (const [owner, queue] of [...waiting]) {
      if (running.size >= atOnce) return;
      if (running.has(owner)) continue;
      running.add(owner);
      waiting.delete(owner);
      const begin = queue.shift()!;
      if (queue.length > 0) waiting.set(owner, queue);
      begin();
    }
  }

  return async <T>(owner: string, work: () => Promise<T>): Promise<T> => {
    const queue = waiting.get(owner) ?? [];
    if (queue.length >= WAITING_MAX) throw tooMany();
    const { promise: turn, resolve: begin } = Promise.withResolvers<void>();
    queue.push(begin);
    waiting.set(owner, queue);
    next();
    await turn;
    try {
      return await work();
    } finally {
      running.delete(owner);
      const rest = waiting.get(owner);
      if (rest && waiting.delete(owner)) waiting.set(owner, rest);
      next();
    }
  };
}

const tooMany = () =>
  new Refusal(
    "rate_limit_exceeded",
    "Too many reports of this organization are being loaded. Try again in a moment.",
    {
      retryAfterSeconds: 1,
    },
  );
