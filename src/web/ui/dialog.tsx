/** A modal dialog, the browser's own: it traps the focus and closes on Escape. */
import { type ReactNode, useEffect, useId, useRef } from "react";
import { Button } from "./button.tsx";

type DialogProps = { title: string; onClose: () => void; children: ReactNode };

/** Open while it is rendered. */
export function Dialog({ title, onClose, children }: DialogProps) {
  const element = useRef<HTMLDialogElement>(null);
  const id = useId();
  useEffect(() => {
    const dialog = element.current;
    dialog?.showModal();
    // the first field, not the close button
    dialog?.querySelector<HTMLElement>("form :is(input, select, textarea)")?.focus();
    return () => dialog?.close();
  }, []);
  return (
    <dialog
      ref={element}
      aria-labelledby={id}
      onCancel={(event) => {
        event.preventDefault();
        onClose();
      }}
    >
      <header>
        <h2 id={id}>{title}</h2>
        <Button kind="quiet" aria-label="Close" onClick={onClose}>
          ✕
        </Button>
      </header>
      {children}
    </dialog>
  );
}
