/** Pages in a chosen language, in a real browser: no English word is left, they fit their screen, and have no barriers. */
import { expect } from "bun:test";
import type { Page } from "puppeteer-core";
import { german } from "../../src/web/language/de/german.ts";
import { spanish } from "../../src/web/language/es/spanish.ts";
import { french } from "../../src/web/language/fr/french.ts";
import { barriers, type OwnBrowser } from "../chromium.ts";
import { englishOn } from "./words-on-page.ts";

/** Of the languages that are complete. */
export const CATALOGUES = { de: german, es: spanish, fr: french };
export type Complete = keyof typeof CATALOGUES;

/** A page of a browser that asks for the languages. */
export async function openIn(
  browser: OwnBrowser,
  { wanted = ["en"], chosen }: { wanted?: string[]; chosen?: string },
): Promise<Page> {
  const page = await browser.newPage();
  await page.setBypassCSP(true); // for axe-core alone
  const languages = JSON.stringify(wanted);
  await page.evaluateOnNewDocument(
    `Object.defineProperty(navigator, "languages", { get: () => ${languages} });
     ${chosen ? `localStorage.setItem("loquat-language", "${chosen}");` : ""}`,
  );
  return page;
}

export const root = (page: Page, name: "lang" | "dir") => page.evaluate(`document.documentElement.${name}`);

type Shown = { language: string; name: string; widths?: number[] };

/** No barriers, and no wider than the screen. `name`: of what it shows. With SCREENSHOTS=folder, pictures are saved. */
export async function fits(page: Page, { language, name, widths = [390, 1280] }: Shown): Promise<void> {
  for (const width of widths) {
    await page.setViewport({ width, height: 900 });
    const folder = Bun.env.SCREENSHOTS;
    if (folder) await page.screenshot({ path: `${folder}/${language}-${name}-${width}.png` });
    const isFitting = `document.documentElement.scrollWidth === ${width}`; // drawings follow the width
    await page.waitForFunction(isFitting, { timeout: 10_000 }).catch(() => {});
    const found = { language, name, width: await page.evaluate("document.documentElement.scrollWidth") };
    expect(found).toEqual({ language, name, width });
  }
  expect(await barriers(page, language === FIRST ? "all" : "other than colours")).toEqual([]);
}

/** The others have its colours. */
const [FIRST] = Object.keys(CATALOGUES);

/** Ready to be looked at: no catalogue and no list is awaited any more. */
export const settled = (page: Page) =>
  page.waitForFunction("document.querySelector('h1') && !document.querySelector('.loading')");

/** The page is in the language, and fits. */
export async function isIn(page: Page, language: Complete, name: string): Promise<void> {
  await settled(page);
  expect(await root(page, "lang")).toBe(language);
  const english = await englishOn(page, CATALOGUES[language]);
  expect({ name, english }).toEqual({ name, english: [] });
  await fits(page, { language, name });
}
