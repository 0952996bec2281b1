/** A secret that is shown once: it cannot be shown again, so the dialog stays open until it is copied or the user confirms. */
import { type ReactNode, useRef, useState } from "react";
import { Button, CopyButton } from "../button.tsx";
import { Notice } from "../page.tsx";
import { Dialog } from "./dialog.tsx";

/** `what`: as buttons name it, such as "key". `warning`: to store it. `actions`: beside the last button. */
type SecretDialogProps = {
  title: string;
  secret: string;
  what: string;
  warning: string;
  onClose: () => void;
  actions?: ReactNode;
  children?: ReactNode;
};

export function SecretDialog({
  title,
  secret,
  what,
  warning,
  onClose,
  actions,
  children,
}: SecretDialogProps) {
  const [isCopied, setCopied] = useState(false);
  const shown = useRef<HTMLElement>(null);
  return (
    <Dialog title={title} onClose={onClose} isKept={!isCopied}>
      <div className="secret">
        <Notice tone="warn">
          <p>{warning}</p>
        </Notice>
        <p className="copied">
          <code ref={shown}>{secret}</code>
          <CopyButton
            kind="primary"
            text={secret}
            label={`Copy the ${what}`}
            from={shown}
            onCopied={() => setCopied(true)}
          />
        </p>
        {children}
        <div className="actions">
          {actions}
          <Button onClick={onClose}>I have copied the {what}</Button>
        </div>
      </div>
    </Dialog>
  );
}
