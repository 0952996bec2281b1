/** A modal dialog, the browser's own: it traps the focus and closes on Escape. */

import { type ReactNode, useEffect, useId, useRef } from "react";
import { controlsTexts } from "../../language/en/controls.ts";
import { Button } from "../button.tsx";
import { Icon } from "../icon.tsx";

type DialogProps = {
  title: string;
  onClose: () => void;
  /** Neither Escape nor a button in the corner closes it. */
  isKept?: boolean;
  className?: string;
  children: ReactNode;
};

/** Open while it is rendered. */
export function Dialog({ title, onClose, isKept = false, className, children }: DialogProps) {
  const element = useRef<HTMLDialogElement>(null);
  const id = useId();
  useEffect(() => {
    const dialog = element.current;
    dialog?.showModal();
    // what is to be done first, not the close button
    dialog?.querySelector<HTMLElement>("form :is(input, select, textarea), [data-focus]")?.focus();
    return () => dialog?.close();
  }, []);
  return (
    <dialog
      ref={element}
      className={className}
      aria-labelledby={id}
      onKeyDown={(event) => {
        // a second Escape closes a dialog whatever its cancel event says
        if (isKept && event.key === "Escape") event.preventDefault();
      }}
      onCancel={(event) => {
        event.preventDefault();
        if (!isKept) onClose();
      }}
    >
      <header>
        <h2 id={id}>{title}</h2>
        {!isKept && (
          <Button kind="quiet" aria-label={controlsTexts()("close")} onClick={onClose}>
            <Icon name="close" />
          </Button>
        )}
      </header>
      {children}
    </dialog>
  );
}
