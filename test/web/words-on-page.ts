/** Finds English on a page that is shown in another language. */
import type { Page } from "puppeteer-core";
import { english } from "./english.ts";

type Messages = Record<string, string>;

/** What people read or have read to them, but for what is marked as English, code, texts to speak, and names. */
const TEXTS = `(() => {
  const SKIPPED = "[lang=en], code, pre, kbd, script, style, .marks, textarea, .text, .read-along, .offered strong, .voice label[title], option[lang], [name$=model] option";
  const isSkipped = (element) => element.closest(SKIPPED) !== null;
  const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  const texts = [document.title];
  for (let node = walker.nextNode(); node; node = walker.nextNode())
    if (!isSkipped(node.parentElement) && node.parentElement.checkVisibility()) texts.push(node.data);
  for (const element of document.querySelectorAll("[aria-label], [placeholder], [title]"))
    if (!isSkipped(element) && element.checkVisibility())
      texts.push(element.ariaLabel, element.getAttribute("placeholder"), element.getAttribute("title"));
  return texts.map((text) => text?.trim()).filter(Boolean);
})()`;

/** Words that neither German nor Spanish nor French has. */
const WORDS = /\b(the|and|of|is|are|your|with|this|you|from|voice|voices|speech|key|keys|server's|not)\b/;

const escaped = (text: string) => text.replace(/[.*+?^$()|[\]\\]/g, "\\$&");

/** A message as what it may be on the page: whole texts, where values stand for any. `same`: texts of the language itself. */
function shapeOf(message: string, same: string[]): RegExp | null {
  if (/, (plural|select)/.test(message)) return null;
  const parts = message
    .split(/<\/?\w+>|\{[^}]*\}/)
    .filter((part) => /\w{3}/.test(part) && !same.includes(part.trim().toLowerCase()));
  if (parts.length === 0) return null;
  return new RegExp(`^(?:${parts.map((part) => escaped(part.trim())).join("|")})$`);
}

type Catalogue = Record<string, Messages>;

const kept = new WeakMap<Catalogue, RegExp[]>();

/** English messages that the catalogue has other words for. */
function shapesOf(catalogue: Catalogue): RegExp[] {
  const known = kept.get(catalogue);
  if (known) return known;
  const all = Object.values(catalogue).flatMap((messages) => Object.values(messages));
  const lowered = all.map((text) => text.toLowerCase());
  const shapes = Object.entries<Messages>(english)
    .flatMap(([area, messages]) =>
      Object.entries(messages).filter(([id, message]) => catalogue[area]?.[id] !== message),
    )
    .filter(([, message]) => !all.includes(message))
    .flatMap(([, message]) => shapeOf(message, lowered) ?? []);
  kept.set(catalogue, shapes);
  return shapes;
}

/** Texts that are an English message which the catalogue has other words for, or that have English words. */
export async function englishOn(page: Page, catalogue: Catalogue): Promise<string[]> {
  const shapes = shapesOf(catalogue);
  const texts = (await page.evaluate(TEXTS)) as string[];
  return texts.filter((text) => WORDS.test(text) || shapes.some((shape) => shape.test(text)));
}
