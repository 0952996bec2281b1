/**
 * Long reads in turns by organization: one of each at a time, some of them side by side, and nobody's page waits for
 * all that another organization asks.
 *
 *   A A A A A ─┐
 *   B ─────────┼──> one of A, one of B ──> one of C, one of A …
 *   C ─────────┘
 */
import { Refusal } from "../errors.ts";
import type { Store } from "./store.ts";

const WAITING_MAX = 16; // of an organization: some people with a page of a few charts

/** Of the operator's own pages. */
const OPERATOR = "";

export function readInTurns(store: Store, atOnce: number): Store {
  const inTurn = openTurns(atOnce);
  return {
    ...store,
    usage: (query) => inTurn(query.organizationId, () => store.usage(query)),
    requestPage: (query) => inTurn(query.organizationId, () => store.requestPage(query)),
    request: (organizationId, id) => inTurn(organizationId, () => store.request(organizationId, id)),
    recentErrors: (limit) => inTurn(OPERATOR, () => store.recentErrors(limit)),
  };
}

function openTurns(atOnce: number) {
  const waiting = new Map<string, (() => void)[]>(); // whoever had a turn goes behind the others
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
    "Too many pages of this organization are being read. Try again in a moment.",
    {
      retryAfterSeconds: 1,
    },
  );
