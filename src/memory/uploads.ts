/**
 * How much each organization uploads at once. Its recordings are decoded a few at a time, so what else it sends waits at its
 * client instead of in memory: nothing is read of an upload before its turn.
 */
export type Uploads = {
  /** Resolves when there is room for so many bytes, in order of arrival; an upload alone always has room. */
  enter(upload: Upload): Promise<Disposable>;
};

type Upload = { organizationId: string; sizeBytes: number; signal: AbortSignal };

type Line = { bytes: number; waiting: Waiting[] };
type Waiting = { sizeBytes: number; start: () => void };

/** `limitBytes`: of one organization. */
export function openUploads(limitBytes: number): Uploads {
  const lines = new Map<string, Line>();

  const advance = (organizationId: string, line: Line) => {
    for (let next = line.waiting[0]; next; next = line.waiting[0]) {
      if (line.bytes > 0 && line.bytes + next.sizeBytes > limitBytes) return;
      line.waiting.shift();
      line.bytes += next.sizeBytes;
      next.start();
    }
    if (line.bytes === 0) lines.delete(organizationId);
  };

  return {
    async enter({ organizationId, signal, ...upload }) {
      signal.throwIfAborted();
      const sizeBytes = Math.max(1, upload.sizeBytes);
      const line = lines.get(organizationId) ?? { bytes: 0, waiting: [] };
      lines.set(organizationId, line);
      await new Promise<void>((resolve, reject) => {
        const leave = () => {
          line.waiting.splice(line.waiting.indexOf(waiting), 1);
          advance(organizationId, line);
          reject(signal.reason);
        };
        const start = () => {
          signal.removeEventListener("abort", leave);
          resolve();
        };
        const waiting = { sizeBytes, start };
        signal.addEventListener("abort", leave);
        line.waiting.push(waiting);
        advance(organizationId, line);
      });
      let isOver = false;
      return {
        [Symbol.dispose]() {
          if (isOver) return;
          isOver = true;
          line.bytes -= sizeBytes;
          advance(organizationId, line);
        },
      };
    },
  };
}
