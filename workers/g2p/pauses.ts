/**
 * Phonemes with the marks that Piper's voices were trained on: `. , ; : ! ?`, each with a space behind it. Brackets, quotes
 * and dashes separate words and are dropped, as eSpeak NG leaves them out.
 *
 *   Er sagte „ja“ (leise)…  ->  ɛɾ zˈɑːktə jˈɑː lˈaɪzə.
 */
import { type Run, splitMarks } from "./marks.ts";

export function joinPauses(text: string, say: (words: string) => string): string {
  return splitMarks(text, { dots: true })
    .reduce((before, run) => before + (run.kind === "words" ? say(run.text) : `${pauseOf(run, before)} `), "")
    .replace(/\s+/g, " ")
    .trim();
}

/** Of several marks, that which decides the intonation; none before the first word or behind another one. */
function pauseOf({ text }: Run, before: string): string {
  if (!/[^\s.,;:!?]\s*$/.test(before)) return "";
  const marks = text.replaceAll("…", ".");
  return (/[?]/.exec(marks) ?? /!/.exec(marks) ?? /[.;:,]/.exec(marks))?.[0] ?? "";
}
