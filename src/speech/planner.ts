/**
 * Plans scripts, and traces the segments of a plan to the caller's text: short ones at once, long ones on a worker thread,
 * because a long text of digits takes 100 ms.
 */

import type { Origins, PlannedSegment, ScriptPart } from "../engine/protocol/plan.ts";
import { READ_ALOUD } from "../engine/protocol/signs.ts";
import type { Engine } from "../engine/registry.ts";
import type { Claim } from "../engine/runner.ts";
import { type Delivery, planSpeech } from "./plan.ts";
import { isText } from "./script/script.ts";
import type { SynthesisRequest } from "./synthesize.ts";
import { originsOfSegments } from "./words/segment-origins.ts";

const HERE_MAX = 600; // code units; 10 ms at worst
const JOIN_MS = { sentence: 280, inside: 60 }; // where the pace changes

/** The segments of all parts, in order; of a text without a letter or a digit, its silence. */
export function planScript(
  parts: readonly ScriptPart[],
  language: string,
  delivery: Delivery = "whole",
): PlannedSegment[] {
  const first = parts.findIndex(isText);
  const hasWords = parts.some((part) => isText(part) && READ_ALOUD.test(part.text.text));
  return parts.flatMap((part, index): PlannedSegment[] => {
    if (!isText(part)) return [{ text: "", pauseMs: 0, silenceMs: part.silenceMs }];
    if (!hasWords) return [];
    const segments = planSpeech(part.text.text, language, index === first ? delivery : "whole");
    const [last, next] = [segments.at(-1), parts[index + 1]];
    if (last && next && isText(next))
      last.pauseMs = /[.!?…。！？]["')\]]{0,3}\s{0,99}$/.test(part.text.text.slice(-100))
        ? JOIN_MS.sentence
        : JOIN_MS.inside;
    return part.rate === 1 ? segments : segments.map((segment) => ({ ...segment, rate: part.rate }));
  });
}

export async function planOf(
  planner: Engine,
  parts: ScriptPart[],
  { language, claim }: SynthesisRequest,
): Promise<PlannedSegment[]> {
  const delivery = deliveryOf(claim);
  if (sizeOf(parts) <= HERE_MAX) return planScript(parts, language, delivery);
  return planner.run({ kind: "plan", parts, language, delivery }, claim);
}

type Planned = { parts: ScriptPart[]; plan: readonly PlannedSegment[] };

/** Of each segment of a plan of the parts. */
export async function originsOf(
  planner: Engine,
  { parts, plan }: Planned,
  { language, claim }: SynthesisRequest,
): Promise<Origins[]> {
  const segments = plan.map((segment) => segment.text);
  if (sizeOf(parts) <= HERE_MAX) return originsOfSegments(parts, language, segments);
  return planner.run({ kind: "origins", parts, language, segments }, claim);
}

const deliveryOf = ({ urgency }: Claim): Delivery => (urgency === "streaming" ? "streamed" : "whole");

const sizeOf = (parts: readonly ScriptPart[]) =>
  parts.reduce((sum, part) => sum + (isText(part) ? part.text.text.length : 0), 0);
