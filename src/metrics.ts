/** Counters since the start, for GET /metrics. Their names and meanings are defined here only. */
const HELP = {
  loquat_limit_store_failures_total:
    "Decisions about limits that a node made by itself, because the shared store did not answer in time.",
  loquat_ledger_log_failures_total: "Rows of the request log that could not be written.",
  loquat_unlogged_refusals_total:
    "Refused requests beyond those that are logged of an organization in a minute.",
  loquat_requests_total: "Requests that reached an audio endpoint.",
} as const;

type Name = keyof typeof HELP;

export type Metrics = { count(name: Name): void; counters(): Record<Name, number>; text(): string };

export function openMetrics(): Metrics {
  const counts = Object.fromEntries(Object.keys(HELP).map((name) => [name, 0])) as Record<Name, number>;
  return {
    count: (name) => void counts[name]++,
    counters: () => ({ ...counts }),
    /** In the Prometheus text format. */
    text: () =>
      Object.entries(HELP)
        .map(
          ([name, help]) =>
            `# HELP ${name} ${help}\n# TYPE ${name} counter\n${name} ${counts[name as Name]}\n`,
        )
        .join(""),
  };
}
