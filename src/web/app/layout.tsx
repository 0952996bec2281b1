/** The layout of every page behind sign-in: navigation, the organization switcher and the account banner. */
import { type ReactNode, useEffect, useRef, useState } from "react";
import { Link, useLocation } from "wouter";
import { entriesOf, hrefOf, OPERATOR_ENTRIES } from "../lib/navigation.ts";
import { type Membership, signOut, useSession } from "../lib/session.ts";
import { Button } from "../ui/button.tsx";
import { Banner } from "./banner.tsx";

type LayoutProps = {
  /** Null for pages outside any organization: the navigation is that of the user's first organization. */
  organization: Membership | null;
  children: ReactNode;
};

export function Layout({ organization, children }: LayoutProps) {
  const { organizations } = useSession();
  const current = organization ?? organizations[0] ?? null;
  const [location] = useLocation();
  const [isOpen, setOpen] = useState(false);
  const main = useRef<HTMLElement>(null);
  const isFirst = useRef(true);
  // biome-ignore lint/correctness/useExhaustiveDependencies: navigating closes the menu and focuses the new page
  useEffect(() => {
    setOpen(false);
    if (!isFirst.current) main.current?.focus();
    isFirst.current = false;
  }, [location]);
  return (
    <div className="layout">
      <a className="skip" href="#main">
        Skip to content
      </a>
      <header className="top">
        <Link href="/" className="mark">
          Loquat
        </Link>
        <Button kind="quiet" aria-expanded={isOpen} aria-controls="menu" onClick={() => setOpen(!isOpen)}>
          Menu
        </Button>
      </header>
      <nav id="menu" className={isOpen ? "open" : ""} aria-label="Main">
        {current && <OrganizationSwitcher current={current} />}
        {current && <OrganizationLinks current={current} />}
        <OperatorLinks />
        <UserMenu />
      </nav>
      <main id="main" ref={main} tabIndex={-1}>
        {organization && <Banner organization={organization} />}
        {children}
      </main>
    </div>
  );
}

function OrganizationLinks({ current }: { current: Membership }) {
  return (
    <ul>
      {entriesOf(current).map(({ name, path }) => (
        <NavLink key={path} name={name} href={hrefOf(current.id, path)} />
      ))}
      <li>
        <a href="/docs">API reference</a>
      </li>
    </ul>
  );
}

function NavLink({ name, href }: { name: string; href: string }) {
  const [location] = useLocation();
  return (
    <li>
      <Link href={href} aria-current={location.startsWith(href) ? "page" : undefined}>
        {name}
      </Link>
    </li>
  );
}

/** Opens the same page of another organization. */
function OrganizationSwitcher({ current }: { current: Membership }) {
  const { organizations } = useSession();
  const [location, navigate] = useLocation();
  const page = /^\/orgs\/[^/]+\/([^/?]+)/.exec(location)?.[1] ?? "overview";
  return (
    <label className="organizations">
      <span>Organization</span>
      <select value={current.id} onChange={(event) => navigate(hrefOf(event.target.value, page))}>
        {organizations.map(({ id, name }) => (
          <option key={id} value={id}>
            {name}
          </option>
        ))}
      </select>
    </label>
  );
}

function OperatorLinks() {
  if (!useSession().user.operator) return null;
  return (
    <>
      <h2>This server</h2>
      <ul>
        {OPERATOR_ENTRIES.map(({ name, path }) => (
          <NavLink key={path} name={name} href={`/operator/${path}`} />
        ))}
      </ul>
    </>
  );
}

function UserMenu() {
  const { user } = useSession();
  return (
    <div className="user-menu">
      <Link href="/account">{user.name}</Link>
      <Button kind="quiet" onClick={() => void signOut()}>
        Sign out
      </Button>
    </div>
  );
}
