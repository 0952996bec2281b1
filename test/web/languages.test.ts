/**
 * Promise: in a real browser, the pages of a new server are in the language of the browser or the one that was chosen,
 * with no word of English, and fit the screen; from right to left they are mirrored. With SCREENSHOTS=folder, pictures are saved.
 */
import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from "bun:test";
import type { Page } from "puppeteer-core";
import { german } from "../../src/web/language/de/german.ts";
import { spanish } from "../../src/web/language/es/spanish.ts";
import { french } from "../../src/web/language/fr/french.ts";
import { openAccountsHarness, PASSWORD } from "../api/management/people.ts";
import { barriers, chromium, type OwnBrowser, openBrowser, unlessBrowser } from "../chromium.ts";
import type { Harness } from "../harness.ts";
import { fill, press, sees } from "./page-actions.ts";
import { englishOn } from "./words-on-page.ts";

setDefaultTimeout(120_000);

const CATALOGUES = { de: german, es: spanish, fr: french };

let harness: Harness;
let browser: OwnBrowser;
/** Signed in, once the server is set up. */
let operator: Page;
beforeAll(async () => {
  if (!chromium) return;
  harness = await openAccountsHarness();
  browser = await openBrowser(["--autoplay-policy=no-user-gesture-required"]);
});
afterAll(async () => {
  await browser?.[Symbol.asyncDispose]();
  await harness?.[Symbol.asyncDispose]();
});

/** A page of a browser that asks for the languages. */
async function openIn(wanted: string[], chosen?: string): Promise<Page> {
  const page = await (await browser.browser.createBrowserContext()).newPage();
  await page.setBypassCSP(true); // for axe-core alone
  const languages = JSON.stringify(wanted);
  await page.evaluateOnNewDocument(
    `Object.defineProperty(navigator, "languages", { get: () => ${languages} });
     ${chosen ? `localStorage.setItem("loquat-language", "${chosen}");` : ""}`,
  );
  return page;
}

const root = (page: Page, name: "lang" | "dir") => page.evaluate(`document.documentElement.${name}`);

/** No barriers, and no wider than the screen. */
async function fits(page: Page, name: string, widths = [390, 1280]): Promise<void> {
  for (const width of widths) {
    await page.setViewport({ width, height: 900 });
    const folder = Bun.env.SCREENSHOTS;
    if (folder) await page.screenshot({ path: `${folder}/${name}-${width}.png` });
    const isFitting = `document.documentElement.scrollWidth === ${width}`; // drawings follow the width
    await page.waitForFunction(isFitting, { timeout: 10_000 }).catch(() => {});
    expect(await page.evaluate("document.documentElement.scrollWidth")).toBe(width);
  }
  expect(await barriers(page)).toEqual([]);
}

/** Ready to be looked at: no catalogue and no list is awaited any more. */
const settled = (page: Page) =>
  page.waitForFunction("document.querySelector('h1') && !document.querySelector('.loading')");

const PATHS = [
  "/sign-in",
  "/sign-in?error=invalid_token",
  "/sign-up",
  "/forgot",
  "/reset?token=x",
  "/verify?token=x",
  "/invitation?id=inv_1&email=katherine%40example.com",
];

describe.skipIf(!chromium)(`the pages of a new server${unlessBrowser}`, () => {
  test("set a new server up in German, speak, transcribe, and look through the voices", async () => {
    const page = await openIn(["de-AT", "en"]);
    const german = async (name: string) => {
      await settled(page);
      expect(await root(page, "lang")).toBe("de");
      expect(await englishOn(page, CATALOGUES.de)).toEqual([]);
      await fits(page, `de-${name}`);
    };
    await page.goto(`${harness.url}/setup`);
    await sees(page, /Dieser Server ist nicht eingerichtet/);
    await german("without-link");
    await page.goto(`${harness.url}/setup#token=${await harness.parts.accounts.newSetUpSecret()}`);
    await sees(page, /Diesen Server einrichten/);
    await german("account");
    await fill(page, { name: "Ada", email: "ada@example.com", password: PASSWORD });
    await press(page, /^Konto erstellen$/);
    await sees(page, /Wofür ist dieser Server\?/);
    await german("purpose");
    await press(page, /^Für ein Team/);
    await sees(
      page,
      /Hören Sie sich die Stimmen an[\s\S]*Englisch[\s\S]*Natürliche Stimmen und bessere Erkennung/,
    );
    await german("voices");
    await press(page, /^Weiter$/);
    await sees(page, /Ihr Server ist bereit/);
    await german("done");
    await page.goto(`${harness.url}/orgs/${harness.organizationId}/playground`);
    await sees(page, /Ada\s+USA · weiblich/);
    await german("playground");
    await fill(page, { text: "Guten Morgen, wie geht es Ihnen heute?" });
    await sees(page, /Sprache des Textes: wohl Deutsch; Ada spricht Englisch. Greta verwenden/);
    await page.click(".play-line .primary");
    await sees(page, /Erster Ton nach/);
    await german("spoken");
    await press(page, /^Transkribieren$/);
    await sees(page, /Ziehen Sie eine Aufnahme hierher/);
    await german("transcribe");
    await press(page, /^Live$/);
    await sees(page, /Mikrofon starten/);
    await german("live");
    await page.goto(`${harness.url}/orgs/${harness.organizationId}/voices`);
    await sees(page, /\d\d Stimmen[\s\S]*Nicht installiert/);
    await german("library");
    operator = page;
  });

  test.each(["es", "fr", "ar"] as const)("show the playground and the voices in %s", async (language) => {
    await operator.evaluate(`localStorage.setItem("loquat-language", "${language}")`);
    for (const path of ["playground", "playground?tab=transcribe", "playground?tab=live", "voices"]) {
      await operator.goto(`${harness.url}/orgs/${harness.organizationId}/${path}`);
      await operator.waitForSelector(path === "voices" ? ".library li" : ".voice");
      await settled(operator);
      if (language === "ar") expect(await root(operator, "dir")).toBe("rtl");
      else
        expect({ path, english: await englishOn(operator, CATALOGUES[language]) }).toEqual({
          path,
          english: [],
        });
      await fits(operator, `${language}-${path.replace("?tab=", "-")}`);
    }
  });

  test.each(["de", "es", "fr"] as const)("are complete in %s, and fit a phone", async (language) => {
    const page = await openIn(["en"], language);
    for (const path of PATHS) {
      await page.goto(harness.url + path);
      await settled(page);
      expect(await root(page, "lang")).toBe(language);
      expect({ path, english: await englishOn(page, CATALOGUES[language]) }).toEqual({ path, english: [] });
      await fits(page, `${language}${path.replace(/[?].*/, "").replaceAll("/", "-")}`);
    }
    await page.close();
  });

  test("run from right to left in Arabic, mirrored, down to 320 pixels", async () => {
    const page = await openIn(["en"], "ar");
    for (const path of PATHS) {
      await page.goto(harness.url + path);
      await settled(page);
      expect(await root(page, "dir")).toBe("rtl");
      await fits(page, `ar${path.replace(/[?].*/, "").replaceAll("/", "-")}`, [320, 1280]);
    }
    await page.goto(`${harness.url}/sign-in`);
    await sees(page, /تسجيل الدخول/);
    const isMirrored = `(() => {
      const [button, field] = [".inside .button", ".inside input"].map((each) =>
        document.querySelector(each).getBoundingClientRect());
      return button.right < (field.left + field.right) / 2;
    })()`;
    expect(await page.evaluate(isMirrored)).toBe(true);
    await page.close();
  });

  test("change their language where it is chosen, and keep it", async () => {
    const page = await openIn(["en-GB"]);
    await page.goto(`${harness.url}/sign-in`);
    await sees(page, /Forgot your password\?/);
    expect([await root(page, "lang"), await root(page, "dir")]).toEqual(["en", "ltr"]);
    await page.select("[name=language]", "fr");
    await sees(page, /Mot de passe oublié \?/);
    await page.reload();
    await sees(page, /Mot de passe oublié \?/);
    await page.select("[name=language]", "en");
    await sees(page, /Forgot your password\?/);
    await page.close();
  });
});
