/** An event of the log as text for people; its values are those of the JSON line. Pure. */
import { type Color, paint, type Terminal } from "../terminal.ts";
import type { EventLevel } from "./log-events.ts";

type Fields = Record<string, unknown>;

export type Entry = { at: string; level: EventLevel; event: string } & Fields;

const COLORS: Record<EventLevel, Color> = { debug: "gray", info: "cyan", warn: "yellow", error: "red" };

/** `isBrief`: requests have a line without names and ids of what they belong to. */
type Style = { output: Terminal; isBrief: boolean };

/** 14:05:09 info  request  method=POST path=/v1/audio/speech status=200, and the stacks of causes below. Without nulls. */
export function textLine({ at, level, event, ...fields }: Entry, { output, isBrief }: Style): string {
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
