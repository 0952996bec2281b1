/** A caller's text as a script: with its marks of pauses, or as SSML where it begins with <speak>. */
import { scriptOfText } from "./pause-marks.ts";
import type { Script } from "./script.ts";
import { isSsml, scriptOfSsml } from "./ssml.ts";

/** Throws a refusal of `input` where its marks are wrong or too many. */
export const readScript = (input: string): Script =>
  isSsml(input) ? scriptOfSsml(input) : scriptOfText(input);
