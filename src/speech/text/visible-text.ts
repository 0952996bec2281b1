/**
 * A caller's text as captions show it: without markup and reasoning, with the words, marks and numbers as they are written,
 * and where each of its code units stands in the caller's text.
 *
 *   written   **Good** [morning](https://…)   &amp; 5 < 6
 *   shown     Good morning & 5 < 6
 */
import type { Traced } from "../../engine/protocol/plan.ts";
import { differences } from "./differences.ts";
import { decodeEntities, plainMarkdown, withoutReasoning } from "./markup/markup.ts";
import { edited, plainTrace } from "./origins.ts";

const LIST_NUMBER = "$1. ";
/** Characters: a mark behind them stood behind an element, "<b>" or longer, which is blank in a script. */
const BLANK_LEAST = 3;

export function visibleText(written: string): Traced {
  const steps = [
    decodeEntities,
    spaced,
    withoutReasoning,
    (text: string) => plainMarkdown(text, LIST_NUMBER),
    (text: string) => text.replace(/<(?:laugh|breath|sigh)>/g, " "),
  ];
  return steps.reduce((traced, step) => {
    const text = step(traced.text);
    return text === traced.text ? traced : edited(traced, differences(traced.text, text));
  }, plainTrace(written));
}

/** With one space for several on a line, and none before a mark behind a blank. */
const spaced = (text: string): string =>
  text
    .replace(/\r\n?/g, "\n")
    .replace(/([^\S\n]+)([.,;:!?…)\]»”]?)/g, (_, blank: string, mark: string) =>
      mark !== "" && blank.length >= BLANK_LEAST ? mark : ` ${mark}`,
    );
