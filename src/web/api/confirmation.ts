/** Codes of the second factor: giving one, and asking for one where the server wants it before it does what was asked. */

/** Shared by all requests that wait for it. */
type Question = { answer: (isConfirmed: boolean) => void; answered: Promise<boolean> };

let question: Question | null = null;
const listeners = new Set<() => void>();

function ask(next: Question | null): void {
  question = next;
  for (const listener of listeners) listener();
}

/** For `useSyncExternalStore`: the question that the page shows, or null. */
export const questions = {
  subscribe(listener: () => void): () => void {
    listeners.add(listener);
    return () => void listeners.delete(listener);
  },
  current: (): Question | null => question,
};

/** Asks the user, and tells whether they have given a code. Where no page asks, they have not. */
export function confirmed(): Promise<boolean> {
  if (listeners.size === 0) return Promise.resolve(false);
  if (question === null) {
    const { promise, resolve } = Promise.withResolvers<boolean>();
    const answer = (isConfirmed: boolean) => {
      ask(null);
      resolve(isConfirmed);
    };
    ask({ answer, answered: promise });
  }
  return question!.answered;
}

/** The route that takes a code: six digits are of an authenticator app, anything else is a recovery code. */
export const routeOfCode = (code: string): string =>
  /^[\d\s]*$/.test(code) ? "two-factor/verify-totp" : "two-factor/verify-backup-code";
