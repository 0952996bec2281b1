/**
 * One JSON object a line on standard error, so that standard output stays the program's own.
 *
 * Never given: a key, a text to speak, a transcript. A `cause` is printed with its stack and goes nowhere else.
 */
export const LEVELS = ["debug", "info", "warn", "error", "silent"] as const;

export type Level = (typeof LEVELS)[number];
type Fields = Record<string, unknown>;

export type Log = Record<Exclude<Level, "silent">, (event: string, fields?: Fields) => void>;

export function openLog(level: Level, write: (line: string) => void = console.error): Log {
  const least = LEVELS.indexOf(level);
  const writer =
    (own: Level) =>
    (event: string, fields: Fields = {}) => {
      if (LEVELS.indexOf(own) < least) return;
      write(JSON.stringify({ at: new Date().toISOString(), level: own, event, ...fields }, printable));
    };
  return { debug: writer("debug"), info: writer("info"), warn: writer("warn"), error: writer("error") };
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
