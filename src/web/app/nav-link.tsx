/** An entry of the navigation. */

import { useEffect, useRef } from "react";
import { Link } from "wouter";
import { site } from "../browser/site.ts";
import { Icon } from "../ui/icon.tsx";
import type { Entry } from "./entries.ts";

type NavLinkProps = { entry: Entry; isCurrent: boolean };

export function NavLink({ entry: { name, href, icon, isOutside }, isCurrent }: NavLinkProps) {
  const link = useRef<HTMLAnchorElement>(null);
  useEffect(() => {
    if (isCurrent) link.current?.scrollIntoView({ block: "nearest" }); // the menu may be longer than the screen
  }, [isCurrent]);
  const content = (
    <>
      <Icon name={icon} /> {name}
    </>
  );
  return (
    <li>
      {isOutside ? (
        <a href={site.base + href}>{content}</a>
      ) : (
        <Link ref={link} href={href} aria-current={isCurrent ? "page" : undefined}>
          {content}
        </Link>
      )}
    </li>
  );
}
