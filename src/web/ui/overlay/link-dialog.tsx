/** A link to pass on, in a dialog. */

import type { ReactNode } from "react";
import { controlsTexts } from "../../language/en/controls.ts";
import { Button, CopyButton } from "../button.tsx";
import { Dialog } from "./dialog.tsx";

type LinkDialogProps = { title: string; link: string; onClose: () => void; children?: ReactNode };

export function LinkDialog({ title, link, onClose, children }: LinkDialogProps) {
  return (
    <Dialog title={title} onClose={onClose}>
      <div className="form">
        {children}
        <p className="copied">
          <code>{link}</code>
        </p>
        <div className="actions">
          <CopyButton kind="primary" text={link} label={controlsTexts()("copyLink")} />
          <Button onClick={onClose}>{controlsTexts()("done")}</Button>
        </div>
      </div>
    </Dialog>
  );
}
