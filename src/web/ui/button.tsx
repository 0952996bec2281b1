/** Buttons, links that look like buttons, a copy button, and the keyboard handling of tabs. */
import { type ComponentProps, type KeyboardEvent, useState } from "react";
import { Link } from "wouter";
import { copyText } from "../lib/clipboard.ts";

type Kind = "primary" | "plain" | "danger" | "quiet";

export function Button({
  kind = "plain",
  busy = false,
  disabled,
  children,
  ...rest
}: ComponentProps<"button"> & { kind?: Kind; busy?: boolean }) {
  return (
    <button type="button" className={`button ${kind}`} disabled={disabled || busy} aria-busy={busy} {...rest}>
      {children}
    </button>
  );
}

export function LinkButton({
  kind = "plain",
  href,
  children,
}: {
  kind?: Kind;
  href: string;
  children: React.ReactNode;
}) {
  return (
    <Link href={href} className={`button ${kind}`}>
      {children}
    </Link>
  );
}

const CONFIRMATION_MS = 2000;

/** Where the clipboard is not available, asks the user to select the text. */
export function CopyButton({ text, label = "Copy" }: { text: string; label?: string }) {
  const [current, setCurrent] = useState(label);
  async function copy() {
    setCurrent((await copyText(text)) ? "Copied" : "Select it and copy");
    setTimeout(() => setCurrent(label), CONFIRMATION_MS);
  }
  return (
    <Button kind="quiet" onClick={() => void copy()} aria-live="polite">
      {current}
    </Button>
  );
}

type Tabs<T extends string> = { names: readonly T[]; chosen: T; choose: (name: T) => void };

/** A key handler for tabs with the ids `prefix-name`: the arrow keys select and focus the next tab, wrapping around. */
export function tabKeys<T extends string>(prefix: string, { names, chosen, choose }: Tabs<T>) {
  return (event: KeyboardEvent<HTMLElement>) => {
    const step = { ArrowRight: 1, ArrowLeft: -1 }[event.key];
    if (step === undefined) return;
    event.preventDefault();
    const next = names.at((names.indexOf(chosen) + step) % names.length)!;
    choose(next);
    event.currentTarget.querySelector<HTMLElement>(`#${prefix}-${next}`)?.focus();
  };
}
