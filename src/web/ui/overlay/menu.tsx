/** A button that opens a menu of links and actions, operated by pointer or arrow keys. */
import { type KeyboardEvent, type ReactNode, useEffect, useId, useRef, useState } from "react";
import { Link } from "wouter";

type MenuProps = {
  /** Read by screen readers before what the button shows. */
  label: string;
  /** What the button shows. */
  button: ReactNode;
  className?: string;
  children: ReactNode;
};

export function Menu({ label, button, className = "", children }: MenuProps) {
  const id = useId();
  const root = useRef<HTMLDivElement>(null);
  const [isOpen, setOpen] = useState(false);
  useEffect(() => {
    if (!isOpen) return;
    itemsIn(root.current)[0]?.focus();
    const closeOutside = ({ target }: Event) => {
      if (!root.current?.contains(target as Node)) setOpen(false);
    };
    document.addEventListener("pointerdown", closeOutside);
    return () => document.removeEventListener("pointerdown", closeOutside);
  }, [isOpen]);
  const close = () => {
    setOpen(false);
    root.current?.querySelector("button")?.focus();
  };
  const keyDown = (event: KeyboardEvent) => {
    if (!isOpen) return;
    if (event.key === "Escape") return close();
    if (event.key === "Tab") return setOpen(false);
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    if (step === undefined) return;
    event.preventDefault();
    const items = itemsIn(root.current);
    items.at((items.indexOf(document.activeElement as HTMLElement) + step) % items.length)?.focus();
  };
  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: the keys are those of the menu inside
    <div ref={root} className={`menu ${className}`} onKeyDown={keyDown}>
      <button
        type="button"
        aria-haspopup="menu"
        aria-expanded={isOpen}
        aria-controls={isOpen ? id : undefined}
        onClick={() => setOpen(!isOpen)}
      >
        <span className="unseen">{label}</span>
        {button}
      </button>
      {isOpen && (
        // biome-ignore lint/a11y/useKeyWithClickEvents: its items are buttons and links
        <div id={id} role="menu" tabIndex={-1} aria-label={label} onClick={close}>
          {children}
        </div>
      )}
    </div>
  );
}

const itemsIn = (root: HTMLElement | null): HTMLElement[] => [
  ...(root?.querySelectorAll<HTMLElement>('[role^="menuitem"]') ?? []),
];

export function MenuLink({ href, children }: { href: string; children: ReactNode }) {
  return (
    <Link href={href} role="menuitem">
      {children}
    </Link>
  );
}

type MenuButtonProps = {
  onClick: () => void;
  /** For one of several choices. */
  isChosen?: boolean;
  children: ReactNode;
};

export function MenuButton({ onClick, isChosen, children }: MenuButtonProps) {
  const choice = isChosen === undefined ? {} : { role: "menuitemradio", "aria-checked": isChosen };
  return (
    <button type="button" role="menuitem" {...choice} onClick={onClick}>
      {children}
    </button>
  );
}
