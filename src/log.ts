/**
 * One event a line on standard error, so that standard output stays the program's own: as JSON for programs, as text for
 * people.
 *
 * Never given: a key, a text to speak, a transcript. A `cause` is printed with its stack and goes nowhere else.
 */
import { type Color, paint, type Terminal } from "./terminal.ts";

export const LEVELS = ["debug", "info", "warn", "error", "silent"] as const;

export type Level = (typeof LEVELS)[number];
type Fields = Record<string, unknown>;

export type Log = Record<Exclude<Level, "silent">, (event: string, fields?: Fields) => void>;

export const LOG_FORMATS = ["json", "text"] as const;
export type LogFormat = (typeof LOG_FORMATS)[number];

type Entry = { at: string; level: Exclude<Level, "silent">; event: string } & Fields;

/** JSON lines for `write`. @internal */
export function openLog(level: Level, write: (line: string) => void): Log {
  return openWriter(level, (entry) => write(JSON.stringify(entry, printable)));
}

/** The log of the process. `format` null: text on a terminal, JSON elsewhere. Not `console.error`, which Bun colours red. */
export function openProcessLog(
  { level, format }: { level: Level; format: LogFormat | null },
  output: Terminal & { write(text: string): unknown } = process.stderr,
): Log {
  const isText = format === null ? output.isTTY === true : format === "text";
  return openWriter(level, (entry) => {
    output.write(`${isText ? textLine(entry, output) : JSON.stringify(entry, printable)}\n`);
  });
}

function openWriter(level: Level, write: (entry: Entry) => void): Log {
  const least = LEVELS.indexOf(level);
  const writer =
    (own: Entry["level"]) =>
    (event: string, fields: Fields = {}) => {
      if (LEVELS.indexOf(own) >= least) write({ at: new Date().toISOString(), level: own, event, ...fields });
    };
  return { debug: writer("debug"), info: writer("info"), warn: writer("warn"), error: writer("error") };
}

const COLORS: Record<Entry["level"], Color> = { debug: "gray", info: "cyan", warn: "yellow", error: "red" };

/** 14:05:09 info  request  method=POST path=/v1/audio/speech status=200, and the stacks of causes below. Without nulls. */
function textLine({ at, level, event, ...fields }: Entry, output: Terminal): string {
  const plain = JSON.parse(JSON.stringify(fields, printable)) as Fields;
  const causes: string[] = [];
  const parts = Object.entries(plain).flatMap(([name, value]) => {
    if (value === null) return [];
    if (name === "cause" && typeof value === "object" && value !== null) {
      causes.push(...causeLines(value));
      return [];
    }
    return [`${paint(output, "gray", `${name}=`)}${valueText(value)}`];
  });
  const time = paint(output, "gray", new Date(at).toTimeString().slice(0, 8));
  const head = `${time} ${paint(output, COLORS[level], level.padEnd(5))} ${event}`;
  return [[head, ...parts].join("  "), ...causes].join("\n");
}

/** Quoted where a reader, or a terminal, would be misled: spaces, quotes, control characters. */
function valueText(value: unknown): string {
  const text = typeof value === "string" && /^[^\s"]+$/.test(value) ? value : JSON.stringify(value);
  return text.replaceAll(/\p{C}/gu, (control) => `\\u${control.charCodeAt(0).toString(16).padStart(4, "0")}`);
}

type Cause = { message?: unknown; stack?: unknown; cause?: unknown };

function causeLines({ message, stack, cause }: Cause): string[] {
  const frames = typeof stack === "string" ? stack.split("\n").map((frame) => `      ${frame.trim()}`) : [];
  const deeper = typeof cause === "object" && cause !== null ? causeLines(cause) : [];
  return [`    ${valueText(String(message))}`, ...frames, ...deeper];
}

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
