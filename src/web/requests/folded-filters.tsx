/** Filters of which those that are set are shown, and others once they are added from a menu. */
import { Fragment, useEffect, useRef, useState } from "react";
import { Icon } from "../ui/icon.tsx";
import { Menu, MenuButton } from "../ui/overlay/menu.tsx";
import { ClearFilters, type Filter, useAddress } from "../usage/filters.tsx";

export function FoldedFilters({ filters }: { filters: Filter[] }) {
  const [search] = useAddress();
  const [added, setAdded] = useState<string[]>([]);
  const bar = useRef<HTMLDivElement>(null);
  // what is added is what one wants to set next
  useEffect(() => {
    if (added.length > 0) bar.current?.querySelector<HTMLElement>(`#filter-${added.at(-1)} [id]`)?.focus();
  }, [added]);
  const shown = filters.filter(({ name }) => search.has(name) || added.includes(name));
  const others = filters.filter((each) => !shown.includes(each));
  return (
    <div className="folded" ref={bar}>
      {shown.map(({ name, content }) => (
        <div key={name} id={`filter-${name}`}>
          {content}
        </div>
      ))}
      {others.length > 0 && (
        <Menu
          label="Add a filter:"
          button={
            <Fragment>
              <Icon name="plus" size={16} /> Filter
            </Fragment>
          }
        >
          {others.map(({ name, label }) => (
            <MenuButton key={name} onClick={() => setAdded((before) => [...before, name])}>
              {label}
            </MenuButton>
          ))}
        </Menu>
      )}
      {shown.length > 0 && <ClearFilters filters={filters} onClear={() => setAdded([])} />}
    </div>
  );
}
