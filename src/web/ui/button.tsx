/** Buttons, links that look like them, one that copies, and the arrow keys of tabs. */
import { type ComponentProps, type KeyboardEvent, useState } from "react";
import { Link } from "wouter";

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

/** Browsers lend the clipboard to safe pages only; elsewhere the text is selected, to be taken by hand. */
export function CopyButton({ text, label = "Copy" }: { text: string; label?: string }) {
  const [said, setSaid] = useState(label);
  async function copy() {
    const done = await navigator.clipboard?.writeText(text).then(
      () => true,
      () => false,
    );
    setSaid(done ? "Copied" : "Select it and copy");
    setTimeout(() => setSaid(label), 2000);
  }
  return (
    <Button kind="quiet" onClick={() => void copy()} aria-live="polite">
      {said}
    </Button>
  );
}

type Tabs<T extends string> = { names: readonly T[]; chosen: T; choose: (name: T) => void };

/** For a list of tabs whose ids are `prefix-name`: the arrow keys go round, and take the focus along. */
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
