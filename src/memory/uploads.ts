/**
 * Limits how much each organization uploads at once. Its recordings are decoded a few at a time, so further uploads wait at
 * the client instead of in memory: nothing of an upload is read before its turn.
 */
export type Uploads = {
  /** Resolves when there is room for so many bytes, in order of arrival; an upload alone always has room. */
  enter(upload: Upload): Promise<Disposable>;
};

type Upload = { organizationId: string; sizeBytes: number; signal: AbortSignal };

type Queue = { bytes: number; waiting: Waiting[] };
type Waiting = { sizeBytes: number; start: () => void };

/** `limitBytes`: of one organization. */
export function openUploads(limitBytes: number): Uploads {
  const queues = new Map<string, Queue>();

  const advance = (organizationId: string, queue: Queue) => {
    for (let next = queue.waiting[0]; next; next = queue.waiting[0]) {
      if (queue.bytes > 0 && queue.bytes + next.sizeBytes > limitBytes) return;
      queue.waiting.shift();
      queue.bytes += next.sizeBytes;
      next.start();
    }
    if (queue.bytes === 0) queues.delete(organizationId);
  };

  return {
    async enter({ organizationId, signal, ...upload }) {
      signal.throwIfAborted();
      const sizeBytes = Math.max(1, upload.sizeBytes);
      const queue = queues.get(organizationId) ?? { bytes: 0, waiting: [] };
      queues.set(organizationId, queue);
      await new Promise<void>((resolve, reject) => {
        const leave = () => {
          queue.waiting.splice(queue.waiting.indexOf(waiting), 1);
          advance(organizationId, queue);
          reject(signal.reason);
        };
        const start = () => {
          signal.removeEventListener("abort", leave);
          resolve();
        };
        const waiting = { sizeBytes, start };
        signal.addEventListener("abort", leave);
        queue.waiting.push(waiting);
        advance(organizationId, queue);
      });
      let isOver = false;
      return {
        [Symbol.dispose]() {
          if (isOver) return;
          isOver = true;
          queue.bytes -= sizeBytes;
          advance(organizationId, queue);
        },
      };
    },
  };
}
