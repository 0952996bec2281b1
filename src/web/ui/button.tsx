/** Buttons, links that look like buttons, and buttons that copy. */

import { type ComponentProps, useState } from "react";
import { Link } from "wouter";
import { copyText } from "../browser/clipboard.ts";
import { controlsTexts } from "../language/en/controls.ts";
import { Icon } from "./icon.tsx";

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
  ...rest
}: {
  kind?: Kind;
  href: string;
  children: React.ReactNode;
  "aria-label"?: string;
}) {
  return (
    <Link href={href} className={`button ${kind}`} {...rest}>
      {children}
    </Link>
  );
}

const CONFIRMATION_MS = 2000;

type CopyButtonProps = {
  text: string;
  label?: string;
  kind?: Kind;
  onCopied?: () => void;
  /** The element with the text, which is selected where the clipboard is not available. */
  from?: { current: HTMLElement | null };
};

export function CopyButton({ text, label, kind = "quiet", onCopied, from }: CopyButtonProps) {
  const t = controlsTexts();
  const [note, setNote] = useState<string | null>(null);
  async function copy() {
    const isCopied = await copyText(text);
    if (isCopied) onCopied?.();
    else if (from?.current) getSelection()?.selectAllChildren(from.current);
    setNote(t(isCopied ? "copied" : "pressToCopy"));
    setTimeout(() => setNote(null), CONFIRMATION_MS);
  }
  return (
    <Button kind={kind} onClick={() => void copy()} aria-live="polite" data-focus>
      {note ?? label ?? t("copy")}
    </Button>
  );
}

/** An icon that copies an id, shown while its row is pointed at or focused. */
export function CopyIcon({ text, label }: { text: string; label: string }) {
  const [isCopied, setCopied] = useState(false);
  async function copy() {
    setCopied(await copyText(text));
    setTimeout(() => setCopied(false), CONFIRMATION_MS);
  }
  return (
    <button
      type="button"
      className="copy-icon"
      aria-label={isCopied ? controlsTexts()("copied") : label}
      onClick={() => void copy()}
    >
      <Icon name={isCopied ? "check" : "copy"} size={14} />
    </button>
  );
}
