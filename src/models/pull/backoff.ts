/** How long to wait before a request is repeated. */

/** With jitter, so that parallel requests do not return together: up to half of a backoff, a tenth of what was asked. */
export function waitMs(
  attempt: number,
  { asked, backoffMs, random = Math.random() }: { asked: number | null; backoffMs: number; random?: number },
): number {
  if (asked !== null) return asked * (1 + random / 10);
  return backoffMs * 2 ** (attempt - 1) * (1 - random / 2);
}
