/** What nodes of one database know of each other. */

/** `use`: of its time in the last second, from 0 to 1. Null: it does not say. */
export type GpuUse = {
  name: string;
  use: number | null;
  memoryUsedBytes: number | null;
  memoryTotalBytes: number | null;
};

/** What is used of a machine. Parts of the processors are of all together, from 0 to 1, since the last look. */
export type MachineUse = {
  cores: number;
  /** Null: not looked twice yet. */
  cpu: number | null;
  /** Of it, by the process of the server. */
  processCpu: number | null;
  memoryUsedBytes: number;
  memoryTotalBytes: number;
  /** The disk of the data folder; null: unknown. */
  disk: { freeBytes: number; totalBytes: number } | null;
  /** Null: none is known. */
  gpus: GpuUse[] | null;
};

/** The load of a node, and what it has. Nodes of other versions may leave fields out. */
export type NodeReport = {
  /** Such as "Bun 1.4.5". */
  runtime: string;
  memoryBytes: number;
  /** Null: its version does not report it. */
  machine: MachineUse | null;
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
  machine: null,
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
