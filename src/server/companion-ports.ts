/**
 * The ports beside that of the API: metrics and Wyoming. Where a successor may listen on the port of the API too, it may on
 * these, so that they answer during a handover.
 */
import { openMetricsPort } from "./metrics-port.ts";
import type { Services } from "./services.ts";

type CompanionPorts = AsyncDisposable & {
  /** Null where it has no port of its own. */
  metricsUrl: string | null;
  wyomingPort: number | null;
  /** Leaves the port of the metrics to a successor: only one of two processes should be read. */
  leaveMetrics(): void;
  /** Its requests end before. */
  closeWyoming(): Promise<void>;
};

/** `cut`: ends requests under way. `alone` resolves once no predecessor listens any more. */
type Options = { cut: AbortSignal; alone: Promise<unknown> };

/** Throws a `ConfigError` that names the variable of a port that cannot be used. */
export async function openCompanionPorts(services: Services, options: Options): Promise<CompanionPorts> {
  const { metrics, http } = services.config;
  await using stack = new AsyncDisposableStack();
  const metricsPort = metrics.port === null ? null : stack.use(openMetricsPort(services, metrics.port));
  const wyoming = stack.use(services.wyoming);
  await wyoming.listen({ ...options, reusePort: http.reusePort });
  const opened = stack.move();
  return {
    metricsUrl: metricsPort?.url ?? null,
    wyomingPort: wyoming.current()?.port ?? null,
    leaveMetrics: () => metricsPort?.leave(),
    closeWyoming: async () => wyoming[Symbol.asyncDispose](),
    [Symbol.asyncDispose]: () => opened.disposeAsync(),
  };
}
