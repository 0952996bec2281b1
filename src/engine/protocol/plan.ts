/** The tasks of the thread that plans texts, and their results: plain data only. */
import type { TextContext } from "./synthesis.ts";

/** For each code unit: where what it stands for begins and ends. */
export type Origins = { from: Int32Array; to: Int32Array };

/** A text as it is read, and the origins of its code units. */
export type Traced = { text: string; origins: Origins };

/** `rate` is a factor on the pace of the request. */
export type TextPart = { text: Traced; rate: number };
export type ScriptPart = TextPart | { silenceMs: number };

/** `streamed`: the listener waits for the first segment only. */
export type PlanTask = {
  kind: "plan";
  parts: ScriptPart[];
  language: string;
  delivery: "whole" | "streamed";
};

/**
 * `pauseMs` is the silence after the segment, at the voice's natural pace. `rate` is a factor on the pace of the request.
 * A segment of silence has no text, and lasts `silenceMs` at any pace. `context`: what stands around a part of a sentence.
 */
export type PlannedSegment = {
  text: string;
  pauseMs: number;
  rate?: number;
  silenceMs?: number;
  context?: TextContext;
};

/** Where the texts of the segments of a plan stand in the parts; the result has one for each. */
export type OriginsTask = { kind: "origins"; parts: ScriptPart[]; language: string; segments: string[] };
