/** What somebody does with a page: reads it, fills fields, presses what they read. */
import { expect } from "bun:test";
import type { Page } from "puppeteer-core";

const PATIENCE_MS = 15_000;

/** Waits until the page says it. */
export async function sees(page: Page, what: RegExp): Promise<void> {
  await page
    .waitForFunction(`${what}.test(document.body.innerText)`, { timeout: PATIENCE_MS })
    .catch(async () => {
      const text = String(await page.evaluate("document.body.innerText"));
      expect({ at: page.url(), wanted: String(what), text }).toBe("seen" as never);
    });
}

/** Until a path of the address is this. */
export const arrives = (page: Page, path: RegExp) =>
  page.waitForFunction(`${path}.test(location.pathname)`, { timeout: PATIENCE_MS });

/** Fields by their names; what stands in them is replaced. */
export async function fill(page: Page, fields: Record<string, string>): Promise<void> {
  for (const [name, text] of Object.entries(fields)) {
    const field = await page.waitForSelector(`[name="${name}"]`, { timeout: PATIENCE_MS });
    const kind = await field!.evaluate((element) => (element as unknown as { tagName: string }).tagName);
    if (kind === "SELECT") {
      await field!.select(text);
      continue;
    }
    await field!.click({ count: 3 });
    await field!.press("Backspace");
    await field!.type(text);
  }
}

/** A button or a link that is called so, in the dialog where one is open. */
export async function press(page: Page, called: RegExp): Promise<void> {
  const find = `(() => {
    const within = [...document.querySelectorAll("dialog[open]")].at(-1) ?? document;
    return [...within.querySelectorAll("button, a, [role=switch]")].find((each) =>
      !each.disabled && each.checkVisibility() && ${called}.test(each.ariaLabel ?? each.innerText.trim()));
  })()`;
  await page.waitForFunction("!document.querySelector('.loading')", { timeout: PATIENCE_MS }); // nothing moves any more
  const found = await page.waitForFunction(find, { timeout: PATIENCE_MS }).catch(() => null);
  if (!found) {
    const text = String(await page.evaluate("document.body.innerText"));
    expect({ at: page.url(), wanted: String(called), text }).toBe("found" as never);
  }
  await (found as unknown as { click(): Promise<void> }).click();
}

/** A checkbox by its name. */
export async function tick(page: Page, name: string): Promise<void> {
  const box = await page.waitForSelector(`input[type=checkbox][name="${name}"]:not(:disabled)`, {
    timeout: PATIENCE_MS,
  });
  await box!.click();
}
