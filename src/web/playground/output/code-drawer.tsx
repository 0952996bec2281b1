/** The current call of the API as code, in a drawer at the side of the page. */

import { useState } from "react";
import type { Snippets } from "../../api/snippets.ts";
import { speakTexts } from "../../language/en/speak.ts";
import { Button } from "../../ui/button.tsx";
import { Icon } from "../../ui/icon.tsx";
import { Dialog } from "../../ui/overlay/dialog.tsx";
import { CodeTabs } from "../../ui/tabs.tsx";

/** `note`: what the code needs, or does beside the call. */
type CodeDrawerProps = { snippets: () => Snippets; note?: string };

export function CodeDrawer({ snippets, note }: CodeDrawerProps) {
  const t = speakTexts();
  const [isOpen, setOpen] = useState(false);
  return (
    <>
      <Button kind="quiet" aria-haspopup="dialog" onClick={() => setOpen(true)}>
        <Icon name="code" /> {t("viewCode")}
      </Button>
      {isOpen && (
        <Dialog title={t("codeTitle")} className="drawer" onClose={() => setOpen(false)}>
          <CodeTabs snippets={snippets()} />
          <p className="hint">
            {t("codeNote")} {note}
          </p>
        </Dialog>
      )}
    </>
  );
}
