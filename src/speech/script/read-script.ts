/**
 * A caller's text as a script: as SSML where it begins with <speak>, otherwise as plain text with marks of pauses, as several
 * services have them: `[pause 300ms]`, `[pause:1.5s]`, `[silent 1s]`. Anything else in brackets is text.
 */
import type { ScriptPart } from "../../engine/protocol/plan.ts";
import { checkSilence, type Script, sliceOf } from "./script.ts";
import { isSsml, scriptOfSsml } from "./ssml.ts";

/** Throws a refusal of `input` where its marks are wrong or too many. */
export const readScript = (input: string): Script =>
  isSsml(input) ? scriptOfSsml(input) : scriptOfText(input);

const MARK = /\[(?:pause|silent|silence)(?: ?[:=] ?| )(\d{1,6}(?:\.\d{1,3})?|\.\d{1,3}) ?(ms|s)\]/gi;

function scriptOfText(text: string): Script {
  const parts: ScriptPart[] = [];
  let at = 0;
  const add = (to: number) => {
    if (text.slice(at, to).trim() !== "") parts.push({ text: sliceOf(text, at, to), rate: 1 });
  };
  for (const { 0: mark, 1: length, 2: unit, index } of text.matchAll(MARK)) {
    add(index);
    parts.push({ silenceMs: Number(length) * (unit!.toLowerCase() === "s" ? 1000 : 1) });
    at = index + mark.length;
  }
  add(text.length);
  checkSilence(parts);
  const visible = text.replace(MARK, (mark) => " ".repeat(mark.length));
  return { parts, pronounced: [], values: [], visible };
}
