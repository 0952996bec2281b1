/** The current call of the API as code, in a drawer at the side of the page. */
import { useRef, useState } from "react";
import type { Snippets } from "../../lib/snippets.ts";
import { Button, CopyButton, tabKeys } from "../../ui/button.tsx";
import { Dialog } from "../../ui/dialog.tsx";
import { Icon } from "../../ui/icon.tsx";

/** `note`: what the code needs, or does beside the call. */
type CodeDrawerProps = { snippets: () => Snippets; note?: string };

export function CodeDrawer({ snippets, note }: CodeDrawerProps) {
  const [isOpen, setOpen] = useState(false);
  return (
    <>
      <Button kind="quiet" aria-haspopup="dialog" onClick={() => setOpen(true)}>
        <Icon name="code" /> View code
      </Button>
      {isOpen && (
        <Dialog title="Code for these settings" onClose={() => setOpen(false)}>
          <Code snippets={snippets()} />
          <p className="hint">The code reads the key from the environment variable LOQUAT_KEY. {note}</p>
        </Dialog>
      )}
    </>
  );
}

function Code({ snippets }: { snippets: Snippets }) {
  const names = Object.keys(snippets);
  const [chosen, setChosen] = useState(names[0]!);
  const code = useRef<HTMLElement>(null);
  const onKeyDown = tabKeys("code", { names, chosen, choose: setChosen });
  return (
    <div className="code-drawer">
      <div className="code-tools">
        <div className="tabs" role="tablist" aria-label="Language" onKeyDown={onKeyDown}>
          {names.map((name) => (
            <button
              key={name}
              id={`code-${name}`}
              type="button"
              role="tab"
              aria-selected={name === chosen}
              aria-controls="code"
              tabIndex={name === chosen ? 0 : -1}
              onClick={() => setChosen(name)}
            >
              {name}
            </button>
          ))}
        </div>
        <CopyButton text={snippets[chosen]!} from={code} />
      </div>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: scrolls with the keyboard */}
      <pre id="code" role="tabpanel" aria-labelledby={`code-${chosen}`} tabIndex={0}>
        <code ref={code}>{snippets[chosen]}</code>
      </pre>
    </div>
  );
}
