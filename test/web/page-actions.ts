/** What a user does with a page: reads text, fills in fields, presses buttons. */
import { expect } from "bun:test";
import type { ElementHandle, Page } from "puppeteer-core";

/** Waits until the page shows the text. */
export async function sees(page: Page, text: RegExp): Promise<void> {
  await page.waitForFunction(`${text}.test(document.body.innerText)`).catch(async () => {
    const content = String(await page.evaluate("document.body.innerText"));
    expect({ at: page.url(), wanted: String(text), content }).toBe("seen" as never);
  });
}

/** Waits until the page no longer shows the text. */
export async function lacks(page: Page, text: RegExp): Promise<void> {
  await page.waitForFunction(`!${text}.test(document.body.innerText)`);
}

/** Waits until the path of the address matches. */
export const arrives = (page: Page, path: RegExp) => page.waitForFunction(`${path}.test(location.pathname)`);

/** Replaces the values of fields, by name. */
export async function fill(page: Page, fields: Record<string, string>): Promise<void> {
  for (const [name, text] of Object.entries(fields)) {
    const field = await page.waitForSelector(`[name="${name}"]`);
    const kind = await field!.evaluate((element) => (element as unknown as { tagName: string }).tagName);
    if (kind === "SELECT") {
      await field!.select(text);
      continue;
    }
    await replaceText(field!, text);
  }
}

async function replaceText(field: ElementHandle, text: string): Promise<void> {
  await selectText(field);
  await field.press("Backspace");
  await field.type(text);
}

/** By script: on a busy machine three clicks may be too far apart to select a line. */
export async function selectText(field: ElementHandle): Promise<void> {
  await field.click();
  await field.evaluate((element) => (element as unknown as { select(): void }).select());
}

/** Waits until no dialog is open. */
export const dialogCloses = (page: Page) => page.waitForFunction("!document.querySelector('dialog[open]')");

/** Searches a list for a text, once no dialog is open: behind one, the field takes no text. */
export async function search(page: Page, text: string): Promise<void> {
  await dialogCloses(page);
  const field = await page.waitForSelector(".filters [type=search]");
  await replaceText(field!, text);
}

/** Presses a button or a link by its name, once it stands still; only those of an open dialog, if there is one. */
export async function press(page: Page, name: RegExp): Promise<void> {
  const find = `(() => {
    if (document.querySelector(".loading")) return null;
    const within = [...document.querySelectorAll("dialog[open]")].at(-1) ?? document;
    const found = [...within.querySelectorAll("button, a, [role=switch]")].find((each) =>
      !each.disabled && each.checkVisibility() && ${name}.test(each.ariaLabel ?? each.innerText.trim()));
    const place = JSON.stringify(found?.getBoundingClientRect());
    const { before, at } = window.pressing ?? {};
    const isStill = found === before && place === at;
    window.pressing = isStill ? undefined : { before: found, at: place };
    return isStill ? found : null;
  })()`;
  const element = await page.waitForFunction(find).catch(() => null);
  if (!element) {
    const text = String(await page.evaluate("document.body.innerText"));
    expect({ at: page.url(), wanted: String(name), text }).toBe("an element" as never);
  }
  await (element as unknown as { click(): Promise<void> }).click();
}

/** Presses a button that saves a file, and returns the file; in the page it is `window.saved`. */
export async function savedBy(page: Page, button: RegExp): Promise<Buffer> {
  await page.evaluate(`{
    window.saved = null;
    window.makeUrl ??= URL.createObjectURL.bind(URL);
    URL.createObjectURL = (blob) => window.makeUrl((window.saved = blob));
  }`);
  await press(page, button);
  await page.waitForFunction("window.saved");
  const base64 = await page.evaluate(
    "window.saved.arrayBuffer().then((bytes) => new Uint8Array(bytes).toBase64())",
  );
  return Buffer.from(String(base64), "base64");
}

/** Follows the link of the first row, wherever the page moves it meanwhile. */
export async function openFirstRow(page: Page): Promise<void> {
  await page.waitForSelector("tbody a");
  await page.evaluate("document.querySelector('tbody a').click()");
}

/** Toggles a checkbox, by name. */
export async function tick(page: Page, name: string): Promise<void> {
  const box = await page.waitForSelector(`input[type=checkbox][name="${name}"]:not(:disabled)`);
  await box!.click();
}

/** The secret that a dialog shows once. */
export async function secretOf(page: Page): Promise<string> {
  await page.waitForSelector("dialog[open] .secret");
  return String(await page.evaluate("document.querySelector('dialog[open] .copied code').innerText"));
}
