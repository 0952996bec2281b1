/**
 * Promise: in a real browser, the pages of a new server are in the language of the browser or the one that was chosen,
 * with no word of English, and fit the screen; from right to left they are mirrored. With SCREENSHOTS=folder, pictures are saved.
 */
import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from "bun:test";
import type { Page } from "puppeteer-core";
import { openAccountsHarness, PASSWORD } from "../api/management/people.ts";
import { chromium, type OwnBrowser, openBrowser, unlessBrowser } from "../chromium.ts";
import type { Harness } from "../harness.ts";
import { CATALOGUES, fits, isIn, openIn, root, settled } from "./in-language.ts";
import { dialogCloses, fill, press, sees } from "./page-actions.ts";
import { englishOn } from "./words-on-page.ts";

setDefaultTimeout(120_000);

let harness: Harness;
let browser: OwnBrowser;
/** Signed in, once the server is set up. */
let operator: Page;
beforeAll(async () => {
  if (!chromium) return;
  harness = await openAccountsHarness();
  browser = await openBrowser();
});
afterAll(async () => {
  await browser?.[Symbol.asyncDispose]();
  await harness?.[Symbol.asyncDispose]();
});

/** As in the token of a link, whose signature the server alone reads. */
const forAddress = (email: string) => `x.${Buffer.from(JSON.stringify({ email })).toString("base64url")}.x`;

const TABS = ["transcribe", "live", "narration", "talk"];

const PATHS = [
  "/sign-in",
  "/sign-in?error=invalid_token",
  "/sign-up",
  "/forgot",
  "/reset?token=x",
  "/verify?token=x",
  `/mail-of-alerts?token=${forAddress("finance@example.com")}`,
  "/mail-of-alerts?token=x",
  "/invitation?id=inv_1&email=katherine%40example.com",
];

const nameOf = (path: string) => path.slice(1).replace(/[?].*/, "").replaceAll("/", "-");

describe.skipIf(!chromium)(`the pages of a new server${unlessBrowser}`, () => {
  test("set a new server up in German, speak, transcribe, and look through the voices", async () => {
    const page = await openIn(browser, { wanted: ["de-AT", "en"] });
    const german = (name: string) => isIn(page, "de", name);
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
      /Hören Sie sich die Stimmen an[\s\S]*Deutsch[\s\S]*Englisch[\s\S]*Natürliche Stimmen und bessere Erkennung[\s\S]*\d,\d [MG]B/,
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
    for (const path of ["playground", ...TABS.map((tab) => `playground?tab=${tab}`), "voices"]) {
      await operator.goto(`${harness.url}/orgs/${harness.organizationId}/${path}`);
      await operator.waitForSelector(path === "voices" ? ".library li" : ".voice");
      await settled(operator);
      if (language === "ar") expect(await root(operator, "dir")).toBe("rtl");
      else
        expect({ path, english: await englishOn(operator, CATALOGUES[language]) }).toEqual({
          path,
          english: [],
        });
      await fits(operator, { language, name: path.replace("?tab=", "-") });
    }
  });

  test.each(["de", "es", "fr"] as const)("show the account, and its dialogs, in %s", async (language) => {
    const { account: t, controls } = CATALOGUES[language];
    await operator.evaluate(`localStorage.setItem("loquat-language", "${language}")`);
    await operator.goto(`${harness.url}/account`);
    await operator.waitForSelector("tbody tr");
    await isIn(operator, language, "own-account");
    for (const [name, dialog] of [
      [t.setUp, "factor"],
      [t.delete, "delete-account"],
    ] as const) {
      await press(operator, new RegExp(`^${name}$`));
      await operator.waitForSelector("dialog[open] input");
      await isIn(operator, language, dialog);
      if (dialog === "factor") {
        await fill(operator, { password: PASSWORD });
        await press(operator, new RegExp(`^${t.continue}$`));
        await operator.waitForSelector(".recovery-codes");
        await isIn(operator, language, "factor-codes");
      }
      await press(operator, new RegExp(`^${controls.cancel}$`));
      await dialogCloses(operator);
    }
  });

  test.each(["de", "es", "fr"] as const)("are complete in %s, and fit a phone", async (language) => {
    const page = await openIn(browser, { chosen: language });
    for (const path of PATHS) {
      await page.goto(harness.url + path);
      await settled(page);
      expect(await root(page, "lang")).toBe(language);
      expect({ path, english: await englishOn(page, CATALOGUES[language]) }).toEqual({ path, english: [] });
      await fits(page, { language, name: nameOf(path) });
    }
    await page.close();
  });

  test("run from right to left in Arabic, mirrored, down to 320 pixels", async () => {
    const page = await openIn(browser, { chosen: "ar" });
    for (const path of PATHS) {
      await page.goto(harness.url + path);
      await settled(page);
      expect(await root(page, "dir")).toBe("rtl");
      await fits(page, { language: "ar", name: nameOf(path), widths: [320, 1280] });
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
    const page = await openIn(browser, { wanted: ["en-GB"] });
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
