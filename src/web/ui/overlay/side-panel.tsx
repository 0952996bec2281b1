/** Details beside a list, which stays in use: closed by Escape, moved through the list with the arrow keys. */

import { type ReactNode, useEffect, useId, useRef } from "react";
import { controlsTexts } from "../../language/en/controls.ts";
import { Button } from "../button.tsx";
import { Icon } from "../icon.tsx";

type SidePanelProps = {
  title: string;
  onClose: () => void;
  /** Opens the row above or below; absent at the ends of the list. */
  onPrevious?: (() => void) | undefined;
  onNext?: (() => void) | undefined;
  children: ReactNode;
};

/** Open while it is rendered. */
export function SidePanel({ title, onClose, onPrevious, onNext, children }: SidePanelProps) {
  const t = controlsTexts();
  const element = useRef<HTMLDialogElement>(null);
  const heading = useRef<HTMLHeadingElement>(null);
  const id = useId();
  useEffect(() => {
    const before = document.activeElement;
    element.current?.show();
    heading.current?.focus();
    return () => focusAgain(before);
  }, []);
  useEffect(() => {
    const keyDown = (event: KeyboardEvent) => {
      if (isTyping(event.target) || document.querySelector("dialog:modal")) return;
      const action = { Escape: onClose, ArrowUp: onPrevious, ArrowDown: onNext }[event.key];
      if (!action) return;
      event.preventDefault();
      action();
    };
    document.addEventListener("keydown", keyDown);
    return () => document.removeEventListener("keydown", keyDown);
  }, [onClose, onPrevious, onNext]);
  return (
    <dialog ref={element} className="side-panel" aria-labelledby={id}>
      <header>
        <h2 id={id} ref={heading} tabIndex={-1}>
          {title}
        </h2>
        <span className="actions">
          <Button kind="quiet" aria-label={t("previous")} disabled={!onPrevious} onClick={onPrevious}>
            <Icon name="up" />
          </Button>
          <Button kind="quiet" aria-label={t("next")} disabled={!onNext} onClick={onNext}>
            <Icon name="down" />
          </Button>
          <Button kind="quiet" aria-label={t("close")} onClick={onClose}>
            <Icon name="close" />
          </Button>
        </span>
      </header>
      {children}
    </dialog>
  );
}

/** Where the reader was, unless the focus has moved elsewhere since or the element is gone. */
function focusAgain(before: Element | null): void {
  const isElsewhere = document.activeElement !== null && document.activeElement !== document.body;
  if (!isElsewhere && before instanceof HTMLElement && before.isConnected) before.focus();
}

const isTyping = (target: EventTarget | null): boolean =>
  target instanceof HTMLElement && target.matches("input, select, textarea, [role=application]");
