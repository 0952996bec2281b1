/**
 * One event a line on standard error, so that standard output stays the program's own: as JSON for programs, as text for
 * people.
 *
 * Never logged: a key, a text to speak, a transcript. A `cause` is printed with its stack and goes nowhere else.
 */

import type { Terminal } from "../terminal.ts";
import type { EventLevel, EventName } from "./log-events.ts";
import { openLogQueue } from "./log-queue.ts";
import { sendToStream, sendToTerminal } from "./standard-error.ts";
import { type Entry, textLine } from "./text-line.ts";

export const LEVELS = ["debug", "info", "warn", "error", "silent"] as const;

export type Level = (typeof LEVELS)[number];
type Fields = Record<string, unknown>;

/** Takes the events of `log-events.ts`, each at its level. */
export type Log = { [Name in EventLevel]: (event: EventName<Name>, fields?: Fields) => void };

/** The log of the process, and what only its owner does with it. */
export type ProcessLog = Log & {
  isJson: boolean;
  /** Switches between debug and the configured level; between info and debug where that is debug. */
  toggleDebug(): void;
  /** Lines that were dropped since the start, because their reader was too slow. */
  dropped(): number;
  /** True once everything was written; false where that takes longer. */
  flushed(limitMs: number): Promise<boolean>;
};

export const LOG_FORMATS = ["json", "text"] as const;
export type LogFormat = (typeof LOG_FORMATS)[number];

/** Which requests have a line: all, those that failed or began late, or those that failed. */
export const REQUEST_LINES = ["all", "slow", "errors"] as const;
export type RequestLines = (typeof REQUEST_LINES)[number];

const WAITING_MAX = 1024 * 1024; // characters that are not read yet, about 2,400 lines

/** JSON lines for `write`. */
export function openLog(level: Level, write: (line: string) => void): Log {
  return openWriter(
    () => level,
    (entry) => write(JSON.stringify(entry, printable)),
  );
}

type Output = Terminal & Parameters<typeof sendToStream>[0];

/** `format` null: text on a terminal, JSON elsewhere, which also names the node. Not `console.error`, which blocks, and which Bun colours red. */
export function openProcessLog(
  { level, format, node }: { level: Level; format: LogFormat | null; node?: string },
  output: Output = process.stderr,
): ProcessLog {
  let current = level;
  const isText = format === null ? output.isTTY === true : format === "text";
  const lineOf = (entry: Entry) => {
    const json = JSON.stringify({ ...entry, node: isText ? undefined : node }, printable);
    if (!isText) return `${json}\n`;
    const isBrief = output.isTTY === true && current !== "debug";
    return `${textLine(JSON.parse(json) as Entry, { output, isBrief })}\n`;
  };
  const queue = openLogQueue(
    output === process.stderr && output.isTTY ? sendToTerminal() : sendToStream(output),
    {
      charactersMax: WAITING_MAX,
      reportOf: (lines) => lineOf(entryOf("warn", "log_lines_dropped", { lines })),
    },
  );
  const log = openWriter(
    () => current,
    (entry) => queue.write(lineOf(entry)),
  );
  return {
    ...log,
    isJson: !isText,
    toggleDebug() {
      const other = level === "debug" ? "info" : level;
      current = current === "debug" ? other : "debug";
      queue.write(lineOf(entryOf("info", "log_level_changed", { to: current })));
    },
    dropped: queue.dropped,
    flushed: queue.flushed,
  };
}

function openWriter(least: () => Level, write: (entry: Entry) => void): Log {
  const writer =
    <Name extends EventLevel>(level: Name) =>
    (event: EventName<Name>, fields: Fields = {}) => {
      if (LEVELS.indexOf(level) >= LEVELS.indexOf(least())) write(entryOf(level, event, fields));
    };
  return { debug: writer("debug"), info: writer("info"), warn: writer("warn"), error: writer("error") };
}

const entryOf = (level: EventLevel, event: string, fields: Fields): Entry => ({
  at: new Date().toISOString(),
  level,
  event,
  ...fields,
});

const TEXT_MAX = 4000; // characters

/** Database errors carry their statement's parameters, hashes of keys and what customers wrote: none is printed. */
function printable(_name: string, value: unknown): unknown {
  if (typeof value === "string") return value.slice(0, TEXT_MAX);
  if (!(value instanceof Error)) return value;
  const { query } = value as { query?: unknown };
  const message = typeof query === "string" ? `Failed query: ${query}` : value.message;
  return { message, stack: framesOf(value), ...(value.cause ? { cause: value.cause } : {}) };
}

/** Where it was thrown; a stack repeats its message first. */
function framesOf({ stack = "", message }: Error): string {
  const position = stack.indexOf(message);
  return position < 0 ? "" : stack.slice(position + message.length).trim();
}
