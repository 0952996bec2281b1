/**
 * The rate at which large refused frames are answered. A frame has been received before it can be refused, and its socket
 * is read no further until it is answered: so this is the rate at which the server receives frames in vain.
 *
 *   A A A A ─┐
 *   B ───────┼──> one of A, one of B ──> one of A …     each takes the time of its size
 *
 * Organizations take turns, so that none waits for all the frames of another.
 */
export type RefusalPace = (organizationId: string, sizeBytes: number) => Promise<void>;

const BYTES_PER_MS = 8 * 1024; // one frame of 8 MiB a second

type Waiting = { sizeBytes: number; answer: () => void };

/** Once the server is closing, nothing waits. */
export function openRefusalPace(closing: AbortSignal): RefusalPace {
  const lines = new Map<string, Waiting[]>(); // in turn order: after its turn an organization moves to the end
  let timer: Timer | null = null;

  const next = () => {
    const [first] = lines;
    if (!first) return;
    const [organizationId, line] = first;
    timer = setTimeout(() => {
      timer = null;
      line.shift()!.answer();
      lines.delete(organizationId);
      if (line.length > 0) lines.set(organizationId, line);
      next();
    }, line[0]!.sizeBytes / BYTES_PER_MS);
  };

  closing.addEventListener("abort", () => {
    clearTimeout(timer ?? undefined);
    for (const { answer } of [...lines.values()].flat()) answer();
    lines.clear();
  });

  return (organizationId, sizeBytes) => {
    if (closing.aborted) return Promise.resolve();
    const { promise, resolve } = Promise.withResolvers<void>();
    const line = lines.get(organizationId) ?? [];
    lines.set(organizationId, line);
    line.push({ sizeBytes, answer: resolve });
    if (timer === null) next();
    return promise;
  };
}
