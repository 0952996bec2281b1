/**
 * The requests under way, each with a signal that aborts when its client leaves or when the server cannot wait any
 * longer. Not `AbortSignal.any`, which would keep every request's signal for as long as the server runs.
 */

type UnderWay = {
  signal: AbortSignal;
  /**
   * The result, or a rejection as soon as the request is cut: an engine may end its task much later. Where a charge is
   * being written, its response is sent.
   */
  unlessCut<T>(work: { isCharging(): boolean }, result: Promise<T>): Promise<T>;
  /** The request has ended. */
  left(): void;
};

export function openUnderWay(cut: AbortSignal): { enter(client: AbortSignal): UnderWay } {
  const cutters = new Set<() => void>();
  cut.addEventListener("abort", () => {
    for (const cutOff of cutters) cutOff();
  });
  return {
    enter(client) {
      const controller = new AbortController();
      const leave = () => controller.abort(client.reason);
      if (client.aborted) leave();
      client.addEventListener("abort", leave, { once: true });
      const cutOff = () => controller.abort(cut.reason);
      if (cut.aborted) cutOff();
      cutters.add(cutOff);
      return {
        signal: controller.signal,
        unlessCut(work, result) {
          const { promise: late, reject } = Promise.withResolvers<never>();
          const refuse = () => cut.aborted && !work.isCharging() && reject(cut.reason);
          controller.signal.addEventListener("abort", refuse, { once: true });
          refuse();
          return Promise.race([result, late]);
        },
        left() {
          cutters.delete(cutOff);
          client.removeEventListener("abort", leave);
        },
      };
    },
  };
}
