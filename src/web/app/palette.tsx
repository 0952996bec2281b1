/** The search over everything: pages, organizations, API keys and request ids, by keyboard. */

import { type KeyboardEvent, useEffect, useId, useRef, useState } from "react";
import { useLocation } from "wouter";
import { type Membership, useSession } from "../api/session.ts";
import { leaveFor } from "../browser/addresses.ts";
import { hrefOf } from "../browser/navigation.ts";
import { wordsIn } from "../format/search-words.ts";
import { frameTexts } from "../language/en/frame.ts";
import { Icon, type IconName } from "../ui/icon.tsx";
import { useFoundKeys } from "../usage/find-keys.ts";
import { entryGroups } from "./entries.ts";

type Hit = { id: string; name: string; hint: string; href: string; icon: IconName; isOutside?: true };
type PaletteProps = { current: Membership | null; onClose: () => void };

const HITS_MAX = 12;
const REQUEST_ID = /req_[0-9a-z]{1,24}/;

export function Palette({ current, onClose }: PaletteProps) {
  const field = useFocusAtFirst();
  const t = frameTexts();
  const id = useId();
  const [text, setText] = useState("");
  const [chosen, setChosen] = useState(0);
  const [, navigate] = useLocation();
  const hits = hitsFor(text, useAll(current, text), current);
  const open = (hit: Hit | undefined) => {
    if (!hit) return;
    onClose();
    if (hit.isOutside) leaveFor(hit.href);
    else navigate(hit.href);
  };
  const keyDown = (event: KeyboardEvent) => {
    if (event.key === "Enter") {
      event.preventDefault(); // what is opened takes the focus, and would be pressed
      return open(hits[chosen]);
    }
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    if (step === undefined || hits.length === 0) return;
    event.preventDefault();
    setChosen((chosen + step + hits.length) % hits.length);
  };
  return (
    <>
      <input
        type="search"
        dir="auto"
        ref={field}
        role="combobox"
        aria-label={t("searchLabel")}
        aria-expanded={hits.length > 0}
        aria-controls={id}
        aria-activedescendant={hits.length > 0 ? `${id}-${chosen}` : undefined}
        placeholder={t("searchHint")}
        autoComplete="off"
        spellCheck={false}
        value={text}
        onChange={(event) => {
          setText(event.target.value);
          setChosen(0);
        }}
        onKeyDown={keyDown}
      />
      <div id={id} role="listbox" tabIndex={-1} aria-label={t("results")}>
        {hits.map((hit, index) => (
          // biome-ignore lint/a11y/useKeyWithClickEvents: the field has the focus, and its keys choose
          <div
            key={hit.id}
            id={`${id}-${index}`}
            role="option"
            tabIndex={-1}
            aria-selected={index === chosen}
            onPointerMove={() => setChosen(index)}
            onClick={() => open(hit)}
          >
            <Icon name={hit.icon} /> <span>{hit.name}</span> <small>{hit.hint}</small>
          </div>
        ))}
      </div>
      {hits.length === 0 && <p className="empty">{t("nothingFound")}</p>}
    </>
  );
}

/** The field is not there yet when its dialog is opened. */
function useFocusAtFirst() {
  const field = useRef<HTMLInputElement>(null);
  useEffect(() => field.current?.focus(), []);
  return field;
}

/** Keys are found by the server, which may have more of them than could be listed. */
function useAll(current: Membership | null, text: string): Hit[] {
  const { user, organizations } = useSession();
  const t = frameTexts();
  const keys = useFoundKeys(current?.id ?? null, text);
  const pages = entryGroups(current, user.operator).flatMap(({ name, entries }) =>
    entries.map((entry): Hit => ({ ...entry, id: entry.href, hint: name ?? "" })),
  );
  const account: Hit = { id: "account", name: t("account"), hint: t("you"), href: "/account", icon: "user" };
  const others = organizations
    .filter(({ id }) => id !== current?.id)
    .map(
      ({ id, name }): Hit => ({
        ...{ id, name, hint: t("organization") },
        href: hrefOf(id, "overview"),
        icon: "organizations",
      }),
    );
  const ofKeys = keys.map(
    ({ id, name, prefix, last4, status }): Hit => ({
      ...{ id, name, hint: `${prefix}…${last4}${status === "active" ? "" : `, ${status}`}` },
      href: `${hrefOf(current!.id, "requests")}?key_id=${id}`,
      icon: "keys",
    }),
  );
  return [...pages, account, ...others, ...ofKeys];
}

function hitsFor(text: string, all: Hit[], current: Membership | null): Hit[] {
  const words = wordsIn(text);
  const request = current && REQUEST_ID.exec(text.toLowerCase())?.[0];
  if (request) return [requestHit(request, current)];
  return all
    .filter(({ id, name, hint }) => {
      const searched = `${name} ${hint} ${id}`.toLowerCase();
      return words.every((word) => searched.includes(word));
    })
    .slice(0, HITS_MAX);
}

/** A complete id opens its request, the beginning of one a list. */
function requestHit(id: string, { id: organization }: Membership): Hit {
  const isWhole = id.length === "req_".length + 24;
  return {
    ...{ id, name: id, hint: frameTexts()(isWhole ? "request" : "requestsLike") },
    href: `${hrefOf(organization, "requests")}?${isWhole ? "open" : "id"}=${id}`,
    icon: "requests",
  };
}
