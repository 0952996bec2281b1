/** The voices that a person likes, kept in this browser; where it keeps nothing, as long as the page. */
import { useState } from "react";

export type Favourites = { has(id: string): boolean; toggle(id: string): void };

/** `owner`: people who share a browser have their own. */
export function useFavourites(owner: string): Favourites {
  const [ids, setIds] = useState(() => read(owner));
  return {
    has: (id) => ids.includes(id),
    toggle(id) {
      const next = ids.includes(id) ? ids.filter((each) => each !== id) : [...ids, id];
      setIds(next);
      try {
        localStorage.setItem(nameOf(owner), JSON.stringify(next));
      } catch {
        // storage is full or switched off
      }
    },
  };
}

const nameOf = (owner: string): string => `loquat-favourites-${owner}`;

function read(owner: string): string[] {
  try {
    const kept: unknown = JSON.parse(localStorage.getItem(nameOf(owner)) ?? "[]");
    return Array.isArray(kept) ? kept.filter((each) => typeof each === "string") : [];
  } catch {
    return [];
  }
}
