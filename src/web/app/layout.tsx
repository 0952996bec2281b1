/** The layout of every page behind sign-in: the navigation, the account banner, and the search. */

import { type ReactNode, Suspense, useEffect, useRef, useState } from "react";
import { Link, useLocation } from "wouter";
import { type Membership, useSession } from "../api/session.ts";
import { frameTexts } from "../language/en/frame.ts";
import { Button } from "../ui/button.tsx";
import { part } from "../ui/code.tsx";
import { ErrorBoundary } from "../ui/error-boundary.tsx";
import { Icon, Mark } from "../ui/icon.tsx";
import { Loading } from "../ui/query-boundary.tsx";
import { Banner } from "./banner.tsx";
import { Sidebar } from "./sidebar.tsx";

type LayoutProps = {
  /** Null for pages outside any organization: the navigation is that of the user's first organization. */
  organization: Membership | null;
  /** Whether its texts follow the language of the pages; others are English. */
  isTranslated?: boolean;
  children: ReactNode;
};

export function Layout({ organization, isTranslated = false, children }: LayoutProps) {
  const t = frameTexts();
  const { organizations } = useSession();
  const current = organization ?? organizations[0] ?? null;
  const [location] = useLocation();
  const { isOpen, setOpen } = useDrawer(location);
  const [isSearching, setSearching] = useSearchKey();
  const main = useFocusOn(location);
  return (
    <div className="layout">
      <a className="skip" href="#main">
        {t("skip")}
      </a>
      <header className="top">
        <Button
          kind="quiet"
          aria-label={t("menu")}
          aria-expanded={isOpen}
          aria-controls="menu"
          onClick={() => setOpen(!isOpen)}
        >
          <Icon name={isOpen ? "close" : "menu"} />
        </Button>
        <Link href="/" className="mark">
          <Mark /> Loquat
        </Link>
        <Button kind="quiet" aria-label={t("search")} onClick={() => setSearching(true)}>
          <Icon name="search" />
        </Button>
      </header>
      <Sidebar current={current} isOpen={isOpen} onSearch={() => setSearching(true)} />
      {isOpen && <div className="shade" aria-hidden onClick={() => setOpen(false)} />}
      <main id="main" ref={main} tabIndex={-1} {...(isTranslated ? {} : ENGLISH)}>
        <ErrorBoundary place={location}>
          {organization && <Banner organization={organization} />}
          <Suspense fallback={<Loading />}>{children}</Suspense>
        </ErrorBoundary>
      </main>
      {isSearching && <Search current={current} onClose={() => setSearching(false)} />}
    </div>
  );
}

const ENGLISH = { lang: "en", dir: "ltr" } as const;

/** The menu of a phone: closed by navigating and by Escape. */
function useDrawer(location: string) {
  const [isOpen, setOpen] = useState(false);
  // biome-ignore lint/correctness/useExhaustiveDependencies: navigating closes it
  useEffect(() => setOpen(false), [location]);
  useEffect(() => {
    if (!isOpen) return;
    const close = ({ key }: KeyboardEvent) => key === "Escape" && setOpen(false);
    document.addEventListener("keydown", close);
    return () => document.removeEventListener("keydown", close);
  }, [isOpen]);
  return { isOpen, setOpen };
}

/** Ctrl+K or ⌘K opens the search, and closes it. */
function useSearchKey() {
  const [isSearching, setSearching] = useState(false);
  useEffect(() => {
    const keyDown = (event: KeyboardEvent) => {
      if (event.key.toLowerCase() !== "k" || !(event.ctrlKey || event.metaKey) || event.shiftKey) return;
      event.preventDefault();
      setSearching((before) => !before);
    };
    document.addEventListener("keydown", keyDown);
    return () => document.removeEventListener("keydown", keyDown);
  }, []);
  return [isSearching, setSearching] as const;
}

/** The element that gets the focus when the page changes, but not at first. */
function useFocusOn(location: string) {
  const element = useRef<HTMLElement>(null);
  const isFirst = useRef(true);
  // biome-ignore lint/correctness/useExhaustiveDependencies: navigating focuses the new page
  useEffect(() => {
    if (!isFirst.current) element.current?.focus();
    isFirst.current = false;
  }, [location]);
  return element;
}

const Palette = part(async () => (await import("./palette.tsx")).Palette);

/** The dialog of the search; what is in it is fetched when it is first opened. */
function Search({ current, onClose }: { current: Membership | null; onClose: () => void }) {
  const dialog = useRef<HTMLDialogElement>(null);
  useEffect(() => dialog.current?.showModal(), []);
  return (
    <dialog
      ref={dialog}
      className="palette"
      aria-label={frameTexts()("search")}
      onClose={onClose}
      onCancel={onClose}
    >
      <Palette current={current} onClose={onClose} />
    </dialog>
  );
}
