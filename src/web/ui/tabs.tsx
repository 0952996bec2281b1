/** Tabs, of which one is selected with the pointer or the arrow keys, and code in several languages behind such tabs. */

import { type KeyboardEvent, type ReactNode, useRef, useState } from "react";
import type { Snippets } from "../api/snippets.ts";
import { controlsTexts } from "../language/en/controls.ts";
import { CopyButton } from "./button.tsx";

type TabsProps<T extends string> = {
  /** The id of a tab is `id-name`. */
  id: string;
  label: string;
  names: readonly T[];
  chosen: T;
  onChoose: (name: T) => void;
  /** The id of the panel that a tab opens. */
  panelOf: (name: T) => string;
  className?: string;
  /** What a tab shows. */
  children: (name: T) => ReactNode;
};

/** The arrow keys select and focus the next tab, wrapping around. */
export function Tabs<T extends string>({ id, label, names, chosen, onChoose, ...rest }: TabsProps<T>) {
  const { panelOf, className = "tabs", children } = rest;
  function keyDown(event: KeyboardEvent<HTMLElement>) {
    const forward = getComputedStyle(event.currentTarget).direction === "rtl" ? -1 : 1;
    const step = { ArrowRight: forward, ArrowLeft: -forward }[event.key];
    if (step === undefined) return;
    event.preventDefault();
    const next = names.at((names.indexOf(chosen) + step) % names.length)!;
    onChoose(next);
    document.getElementById(`${id}-${next}`)?.focus();
  }
  return (
    <div className={className} role="tablist" aria-label={label} onKeyDown={keyDown}>
      {names.map((name) => (
        <button
          key={name}
          id={`${id}-${name}`}
          type="button"
          role="tab"
          aria-selected={name === chosen}
          aria-controls={panelOf(name)}
          tabIndex={name === chosen ? 0 : -1}
          onClick={() => onChoose(name)}
        >
          {children(name)}
        </button>
      ))}
    </div>
  );
}

/** The same call in several languages. */
export function CodeTabs({ snippets }: { snippets: Snippets }) {
  const names = Object.keys(snippets);
  const [chosen, setChosen] = useState(names[0]!);
  const code = useRef<HTMLElement>(null);
  return (
    <div className="code-tabs" dir="ltr">
      <div className="actions">
        <Tabs
          id="code"
          label={controlsTexts()("language")}
          names={names}
          chosen={chosen}
          onChoose={setChosen}
          panelOf={() => "code"}
        >
          {(name) => name}
        </Tabs>
        <CopyButton text={snippets[chosen]!} from={code} />
      </div>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: scrolls with the keyboard */}
      <pre id="code" role="tabpanel" aria-labelledby={`code-${chosen}`} tabIndex={0}>
        <code ref={code}>{snippets[chosen]}</code>
      </pre>
    </div>
  );
}
