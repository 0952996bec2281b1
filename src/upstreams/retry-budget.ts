/** How many requests may be tried again: a fifth of them, and three at least, so that a failing upstream gets no storm. */

const SHARE = 0.2;
const LEAST = 3;
const MOST = 20;

export type RetryBudget = {
  /** A request begins. */
  requested(): void;
  /** Whether one may be tried again; if so, it is counted. */
  retry(): boolean;
};

export function openRetryBudget(): RetryBudget {
  let retries = LEAST;
  return {
    requested() {
      retries = Math.min(MOST, retries + SHARE);
    },
    retry() {
      if (retries < 1) return false;
      retries--;
      return true;
    },
  };
}
