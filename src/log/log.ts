/**
 * One event a line on standard error, so that standard output stays the program's own: as JSON for programs, as text for
 * people.
 *
 * Never logged: a key, a text to speak, a transcript. A `cause` is printed with its stack and goes nowhere else.
 */

import { write as writeFile } from "node:fs";
import { promisify } from "node:util";
import { type Color, paint, type Terminal } from "../terminal.ts";
import type { EventLevel, EventName } from "./log-events.ts";
import { openLogQueue, type Send } from "./log-queue.ts";

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

/** An event of the log as text for people; its values are those of the JSON line. Pure. */
type Entry = { at: string; level: EventLevel; event: string } & Fields;

const COLORS: Record<EventLevel, Color> = { debug: "gray", info: "cyan", warn: "yellow", error: "red" };

/** `isBrief`: requests have a line without names and ids of what they belong to. */
type Style = { output: Terminal; isBrief: boolean };

/** 14:05:09 info  request  method=POST path=/v1/audio/speech status=200, and the stacks of causes below. Without nulls. */
function textLine({ at, level, event, ...fields }: Entry, { output, isBrief }: Style): string {
  const time = paint(output, "gray", new Date(at).toTimeString().slice(0, 8));
  const begin = `${time} ${paint(output, COLORS[level], level.padEnd(5))}`;
  const brief = isBrief && event === "request" ? requestLine(fields) : null;
  if (brief !== null) return `${begin} ${brief}`;
  const causes: string[] = [];
  const parts = Object.entries(fields).flatMap(([name, value]) => {
    if (value === null) return [];
    if (name === "cause" && typeof value === "object" && value !== null) {
      causes.push(...causeLines(value));
      return [];
    }
    return [`${paint(output, "gray", `${name}=`)}${valueText(value)}`];
  });
  return [[`${begin} ${event}`, ...parts].join("  "), ...causes].join("\n");
}

/** 200 POST /v1/audio/speech  svc-tts1  female-warm  25 characters  198 ms  req_1; null for what is no logged request. */
function requestLine(fields: Fields): string | null {
  const { status, method, endpoint, model, voice, characters, audioSeconds, durationMs, errorCode, id } =
    fields;
  if (typeof status !== "number" || typeof endpoint !== "string") return null;
  const counted = (value: unknown, unit: string) => (typeof value === "number" ? `${value} ${unit}` : null);
  const parts = [
    `${status} ${valueText(method)} ${valueText(endpoint)}`,
    ...[errorCode, model, voice].map((value) => (typeof value === "string" ? valueText(value) : null)),
    counted(characters, "characters"),
    typeof audioSeconds === "number" ? `${audioSeconds.toFixed(1)} s of audio` : null,
    counted(durationMs, "ms"),
    valueText(id),
  ];
  return parts.filter((part) => part !== null).join("  ");
}

/** Quoted where a reader, or a terminal, would be misled: spaces, quotes, control characters. */
function valueText(value: unknown): string {
  const text = typeof value === "string" && /^[^\s"]+$/.test(value) ? value : String(JSON.stringify(value));
  return text.replaceAll(/\p{C}/gu, (control) => `\\u${control.charCodeAt(0).toString(16).padStart(4, "0")}`);
}

type Cause = { message?: unknown; stack?: unknown; cause?: unknown };

function causeLines({ message, stack, cause }: Cause): string[] {
  const frames = typeof stack === "string" ? stack.split("\n").map((frame) => `      ${frame.trim()}`) : [];
  const deeper = typeof cause === "object" && cause !== null ? causeLines(cause) : [];
  return [`    ${valueText(String(message))}`, ...frames, ...deeper];
}

const STANDARD_ERROR = 2;

/**
 * Standard error, written without blocking the event loop, however slowly it is read.
 *
 * Pipes, sockets and files: the stream does not block on them. Its reader may be gone, which is no failure.
 */
function sendToStream(stream: {
  write(text: string, written: () => void): unknown;
  on?(event: "error", listener: () => void): unknown;
}): Send {
  stream.on?.("error", () => {});
  return (text, written) => void stream.write(text, () => written());
}

/** A terminal that is stopped (Ctrl+S, a hanging connection) blocks its writer, so another thread is that. */
function sendToTerminal(descriptor = STANDARD_ERROR): Send {
  const write = promisify(writeFile);
  let last = Promise.resolve();
  return (text, written) => {
    last = last.then(() => write(descriptor, text)).then(written, written);
  };
}
