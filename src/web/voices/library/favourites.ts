/** The voices that a person likes, kept in this browser; where it keeps nothing, as long as the page. */
import { useState } from "react";
import { keep, readKept } from "../../browser/kept-json.ts";

export type Favourites = { has(id: string): boolean; toggle(id: string): void };

/** `owner`: people who share a browser have their own. */
export function useFavourites(owner: string): Favourites {
  const [ids, setIds] = useState(() => readKept(nameOf(owner), idsIn));
  return {
    has: (id) => ids.includes(id),
    toggle(id) {
      const next = ids.includes(id) ? ids.filter((each) => each !== id) : [...ids, id];
      setIds(next);
      keep(nameOf(owner), next);
    },
  };
}

const nameOf = (owner: string): string => `loquat-favourites-${owner}`;

const idsIn = (kept: unknown): string[] =>
  Array.isArray(kept) ? kept.filter((each) => typeof each === "string") : [];
