/** What stands around every page of somebody signed in: the organization, the ways to go, the banner, the way out. */
import { type ReactNode, useEffect, useRef, useState } from "react";
import { Link, useLocation } from "wouter";
import { entriesOf, hrefOf, OPERATOR_ENTRIES } from "../lib/navigation.ts";
import { type Membership, signOut, useSession } from "../lib/session.tsx";
import { Button } from "../ui/button.tsx";
import { Banner } from "./banner.tsx";

/** `at` null: a page that belongs to no organization, beside the ways of the first. */
export function Frame({ at, children }: { at: Membership | null; children: ReactNode }) {
  const { organizations } = useSession();
  const here = at ?? organizations[0] ?? null;
  const [location] = useLocation();
  const [open, setOpen] = useState(false);
  const main = useRef<HTMLElement>(null);
  const first = useRef(true);
  // biome-ignore lint/correctness/useExhaustiveDependencies: a new page closes the menu and takes the focus
  useEffect(() => {
    setOpen(false);
    if (!first.current) main.current?.focus();
    first.current = false;
  }, [location]);
  return (
    <div className="frame">
      <a className="skip" href="#main">
        To the content
      </a>
      <header className="top">
        <Link href="/" className="mark">
          Loquat
        </Link>
        <Button kind="quiet" aria-expanded={open} aria-controls="menu" onClick={() => setOpen(!open)}>
          Menu
        </Button>
      </header>
      <nav id="menu" className={open ? "open" : ""} aria-label="Main">
        {here && <Organizations here={here} />}
        {here && (
          <ul>
            {entriesOf(here).map(({ name, path }) => (
              <Way key={path} name={name} href={hrefOf(here.id, path)} />
            ))}
            <li>
              <a href={`/playground?organization=${here.id}`}>Playground</a>
            </li>
            <li>
              <a href="/docs">API reference</a>
            </li>
          </ul>
        )}
        <Operator />
        <Person />
      </nav>
      <main id="main" ref={main} tabIndex={-1}>
        {at && <Banner here={at} />}
        {children}
      </main>
    </div>
  );
}

function Way({ name, href }: { name: string; href: string }) {
  const [location] = useLocation();
  return (
    <li>
      <Link href={href} aria-current={location.startsWith(href) ? "page" : undefined}>
        {name}
      </Link>
    </li>
  );
}

/** The same page of another organization. */
function Organizations({ here }: { here: Membership }) {
  const { organizations } = useSession();
  const [location, go] = useLocation();
  const page = /^\/orgs\/[^/]+\/([^/?]+)/.exec(location)?.[1] ?? "overview";
  return (
    <label className="organizations">
      <span>Organization</span>
      <select value={here.id} onChange={(event) => go(hrefOf(event.target.value, page))}>
        {organizations.map(({ id, name }) => (
          <option key={id} value={id}>
            {name}
          </option>
        ))}
      </select>
    </label>
  );
}

function Operator() {
  if (!useSession().user.operator) return null;
  return (
    <>
      <h2>This server</h2>
      <ul>
        {OPERATOR_ENTRIES.map(({ name, path }) => (
          <Way key={path} name={name} href={`/operator/${path}`} />
        ))}
      </ul>
    </>
  );
}

function Person() {
  const { user } = useSession();
  return (
    <div className="person">
      <Link href="/account">{user.name}</Link>
      <Button kind="quiet" onClick={() => void signOut()}>
        Sign out
      </Button>
    </div>
  );
}
