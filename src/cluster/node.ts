/** What nodes of one database know of each other. */

/** The load of a node, and what it has. Nodes of other versions may leave fields out. */
export type NodeReport = {
  /** Such as "Bun 1.4.5". */
  runtime: string;
  memoryBytes: number;
  /** Threads of each engine. */
  threads: number;
  /** What models run on, best first. */
  devices: string[];
  packages: { name: string; version: string }[];
  /** Running and failed pulls, as `PullQueue` has them. */
  pulls: {
    name: string;
    status: "running" | "failed";
    bytes: number;
    total: number;
    message: string | null;
    summary?: string | null;
    next_try_at?: number | null;
  }[];
  /** Every engine that can run, and every one that does. `loaded`: it is started. */
  engines: { name: string; running: number; waiting: number; loaded: boolean }[];
  liveSessions: number;
  /** What its metrics counted since it started, each summed over its labels. */
  counters: Record<string, number>;
  /** Those that it is connected with. `instance`: another one for each of their processes. */
  engineNodes: {
    id: string;
    instance: string;
    version: string;
    draining: boolean;
    engines: number;
    running: number;
    waiting: number;
  }[];
};

const UNREPORTED: NodeReport = {
  runtime: "",
  memoryBytes: 0,
  threads: 0,
  devices: [],
  packages: [],
  pulls: [],
  engines: [],
  liveSessions: 0,
  counters: {},
  engineNodes: [],
};

/** A report as another version wrote it, with what is missing. */
export const readReport = (report: object): NodeReport => ({ ...UNREPORTED, ...report });

export type Node = {
  id: string;
  /** Where it listens, such as http://10.0.0.5:8080. */
  address: string;
  version: string;
  /** Unix milliseconds, by its own clock. */
  startedMs: number;
  /** How long ago it was seen. */
  ageMs: number;
  /** By how much its clock is ahead of the database's. */
  skewMs: number;
  /** It takes no new requests. */
  draining: boolean;
  report: NodeReport;
};

/** Limits and leases bear half a minute; expiries of keys and credit are late by as much. */
const SKEW_MAX_MS = 5000;

export const isFar = (skewMs: number): boolean => Math.abs(skewMs) > SKEW_MAX_MS;
