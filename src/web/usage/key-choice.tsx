/** A field for a key, a filter or one of a form, found by words: an organization may have more keys than a menu can hold. */
import { type KeyboardEvent, useId, useState } from "react";
import { useOrganization } from "../api/session.ts";
import { keyName, useFoundKeys } from "./find-keys.ts";

type KeyChoiceProps = {
  /** Empty: none is chosen. */
  value: string;
  nameOf: (id: string) => string;
  onChoose: (id: string, name: string) => void;
  /** What choosing none is called. */
  unset?: string;
};

type Option = { id: string; name: string };

export function KeyChoice({ value, nameOf, onChoose, unset = "All" }: KeyChoiceProps) {
  const id = useId();
  const organization = useOrganization().id;
  /** What is searched for; null while the list is closed. */
  const [text, setText] = useState<string | null>(null);
  const [marked, setMarked] = useState(0);
  const found = useFoundKeys(text === null ? null : organization, text ?? "");
  const options: Option[] = [
    { id: "", name: unset },
    ...found.map((key) => ({ id: key.id, name: keyName(key) })),
  ];
  const open = () => {
    setText((before) => before ?? "");
    setMarked(0);
  };
  const choose = (option: Option | undefined) => {
    setText(null);
    if (option) onChoose(option.id, option.name);
  };
  const keyDown = (event: KeyboardEvent) => {
    if (event.key === "Escape") {
      if (text !== null) event.preventDefault(); // a dialog around it stays open
      return setText(null);
    }
    if (event.key !== "Enter" && event.key !== "ArrowDown" && event.key !== "ArrowUp") return;
    event.preventDefault();
    if (text === null) return open();
    if (event.key === "Enter") return choose(options[marked]);
    const step = event.key === "ArrowDown" ? 1 : -1;
    setMarked((marked + step + options.length) % options.length);
  };
  return (
    <div className={value ? "field key-choice chosen" : "field key-choice"}>
      <label htmlFor={id}>API key</label>
      <input
        dir="auto"
        id={id}
        role="combobox"
        aria-expanded={text !== null}
        aria-controls={text === null ? undefined : `${id}-keys`}
        aria-activedescendant={text === null ? undefined : `${id}-${marked}`}
        autoComplete="off"
        spellCheck={false}
        placeholder="Name or ID"
        value={text ?? (value ? nameOf(value) : unset)}
        onFocus={({ currentTarget }) => currentTarget.select()} // what is typed replaces it
        onClick={open}
        onBlur={() => setText(null)}
        onChange={(event) => {
          setText(event.target.value);
          setMarked(event.target.value === "" ? 0 : 1); // the first key that matches
        }}
        onKeyDown={keyDown}
      />
      {text !== null && (
        <div id={`${id}-keys`} role="listbox" tabIndex={-1} aria-label="API keys">
          {options.map((option, index) => (
            // biome-ignore lint/a11y/useKeyWithClickEvents: the field has the focus, and its keys choose
            <div
              key={option.id}
              id={`${id}-${index}`}
              role="option"
              tabIndex={-1}
              aria-selected={index === marked}
              onPointerMove={() => setMarked(index)}
              onMouseDown={(event) => event.preventDefault()} // the field keeps the focus
              onClick={() => choose(option)}
            >
              {option.name}
            </div>
          ))}
        </div>
      )}
    </div>
  );
}
