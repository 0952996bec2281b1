/** The drafts of the narration, kept in this browser only. */
import { useEffect, useState } from "react";
import { keep, readKept } from "../../browser/kept-json.ts";
import { newTrackId } from "../audio/track-id.ts";
import type { Draft, Paragraph } from "./draft.ts";

const DRAFTS_MAX = 20;

export type Drafts = {
  all: Draft[];
  draft: Draft;
  change(changes: Partial<Draft>): void;
  open(id: string): void;
  add(): void;
  /** Removes the one that is open. */
  remove(): void;
};

const newParagraph = (text = ""): Paragraph => ({ id: newTrackId(), text, voice: null });

const newDraft = (): Draft => ({ id: newTrackId(), voice: null, paragraphs: [newParagraph()] });

/** `owner`: people who share a browser have their own. The one that is open is the first. */
export function useDrafts(owner: string): Drafts {
  const [all, setAll] = useState(() => readKept(nameOf(owner), draftsIn));
  const [isChanged, setChanged] = useState(false);
  useEffect(() => {
    if (isChanged) keep(nameOf(owner), all);
  }, [owner, all, isChanged]);
  function set(next: Draft[]) {
    setChanged(true);
    setAll(next);
  }
  const [draft, ...others] = all as [Draft, ...Draft[]];
  return {
    all,
    draft,
    change: (changes) => set([{ ...draft, ...changes }, ...others]),
    open: (id) => set(all.toSorted((a, b) => Number(b.id === id) - Number(a.id === id))),
    add: () => set([newDraft(), ...all].slice(0, DRAFTS_MAX)),
    remove: () => set(others.length > 0 ? others : [newDraft()]),
  };
}

const nameOf = (owner: string): string => `loquat-narration-${owner}`;

function draftsIn(kept: unknown): Draft[] {
  const drafts = Array.isArray(kept) ? kept.filter(isDraft) : [];
  return drafts.length > 0 ? drafts : [newDraft()];
}

const isDraft = (value: unknown): value is Draft => {
  const { id, paragraphs } = (value ?? {}) as Partial<Draft>;
  const isText = (each: Partial<Paragraph>) => typeof each?.id === "string" && typeof each.text === "string";
  return (
    typeof id === "string" && Array.isArray(paragraphs) && paragraphs.length > 0 && paragraphs.every(isText)
  );
};
