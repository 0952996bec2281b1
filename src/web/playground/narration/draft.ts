/** A text of the narration: paragraphs, each with its voice, and what typing makes of them. Pure. */
import { narrationTexts } from "../../language/en/narration.ts";

/** `voice`: null for the one of the draft. */
export type Paragraph = { id: string; text: string; voice: string | null };

export type Draft = { id: string; voice: string | null; paragraphs: Paragraph[] };

/** Where the caret belongs after an edit. */
export type Caret = { id: string; at: number };

export type Edit = { paragraphs: Paragraph[]; caret: Caret | null };

type Typed = { id: string; text: string; caret: number };

/** What was typed or pasted into a paragraph: each line of it becomes one, in the same voice. */
export function typed(all: Paragraph[], { id, text, caret }: Typed, newId: () => string): Edit {
  const lines = text.split(/\n+/);
  const before = text.slice(0, caret).split(/\n+/);
  const made = lines.map((line, at) => ({ ...find(all, id), id: at === 0 ? id : newId(), text: line }));
  return {
    paragraphs: all.flatMap((each) => (each.id === id ? made : [each])),
    caret: lines.length === 1 ? null : { id: made[before.length - 1]!.id, at: before.at(-1)!.length },
  };
}

/** The paragraph joined to the one before it; null for the first. */
export function joinedBack(all: Paragraph[], id: string): Edit | null {
  const at = all.findIndex((each) => each.id === id);
  const before = all[at - 1];
  if (!before) return null;
  const joined = { ...before, text: before.text + all[at]!.text };
  return {
    paragraphs: all.toSpliced(at - 1, 2, joined),
    caret: { id: before.id, at: before.text.length },
  };
}

/** Something put where the caret is, or after the word that is selected. */
export function inserted(all: Paragraph[], { id, at }: Caret, mark: string): Paragraph[] {
  return all.map((each) =>
    each.id === id ? { ...each, text: each.text.slice(0, at) + mark + each.text.slice(at) } : each,
  );
}

const find = (all: Paragraph[], id: string): Paragraph => all.find((each) => each.id === id)!;

const NAME_MAX = 40;

/** In lists of drafts: its first words. */
export function nameOf({ paragraphs }: Draft): string {
  const text = paragraphs
    .map((each) => each.text)
    .join(" ")
    .trim();
  if (text === "") return narrationTexts()("emptyDraft");
  return text.length > NAME_MAX ? `${text.slice(0, NAME_MAX).trimEnd()} …` : text;
}
