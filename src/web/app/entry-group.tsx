/** A group of the navigation, which can be collapsed: this browser remembers which ones are. */

import { useState } from "react";
import { useLocation } from "wouter";
import { keep, readKept } from "../browser/kept-json.ts";
import { Icon } from "../ui/icon.tsx";
import type { Entry, EntryGroup } from "./entries.ts";
import { NavLink } from "./nav-link.tsx";

const STORAGE_KEY = "loquat-collapsed-groups";

const idsIn = (kept: unknown): string[] =>
  Array.isArray(kept) ? kept.filter((id) => typeof id === "string").slice(0, 20) : [];

/** The ids of the groups that are collapsed. */
export function useCollapsed() {
  const [ids, setIds] = useState(() => readKept(STORAGE_KEY, idsIn));
  const toggle = (id: string) => {
    const next = ids.includes(id) ? ids.filter((other) => other !== id) : [...ids, id];
    setIds(next);
    keep(STORAGE_KEY, next);
  };
  return { ids, toggle };
}

const isCurrent = ({ href, isOutside }: Entry, location: string): boolean =>
  !isOutside && (location === href || location.startsWith(`${href}/`));

type GroupProps = { group: EntryGroup; isCollapsed: boolean; onToggle: () => void };

/** Collapsed, it has its name and the entry of the current page, if that is one of its own. */
export function Group({ group: { id, name, entries }, isCollapsed, onToggle }: GroupProps) {
  const [location] = useLocation();
  const shown = isCollapsed ? entries.filter((entry) => isCurrent(entry, location)) : entries;
  return (
    <section>
      {name && (
        <h2>
          <button
            type="button"
            aria-expanded={!isCollapsed}
            aria-controls={`entries-${id}`}
            onClick={onToggle}
          >
            {name} <Icon name="down" size={14} />
          </button>
        </h2>
      )}
      <ul id={`entries-${id}`}>
        {shown.map((entry) => (
          <NavLink key={entry.href} entry={entry} isCurrent={isCurrent(entry, location)} />
        ))}
      </ul>
    </section>
  );
}
