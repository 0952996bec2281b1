/** A page as people see it: light, dark and on a phone. With SCREENSHOTS=folder, pictures are saved there. */
import { expect } from "bun:test";
import { join } from "node:path";
import type { Page } from "puppeteer-core";
import { barriers, type Rules } from "../chromium.ts";

type Look = readonly [name: string, width: number, scheme: "light" | "dark"];

const LOOKS: readonly Look[] = [
  ["light", 1280, "light"],
  ["dark", 1280, "dark"],
  ["phone", 390, "light"],
];

type Picture = { height?: number; fullPage?: boolean };

async function picture(page: Page, name: string, { fullPage = false }: Picture): Promise<void> {
  const folder = Bun.env.SCREENSHOTS;
  const path = join(folder ?? "", `${name}.png`) as `${string}.png`;
  if (folder) await page.screenshot({ path, fullPage });
}

/** Saves pictures of each look, where they are wanted. */
export async function keepLooks(page: Page, name: string, options: Picture = {}): Promise<void> {
  const { height = 1000 } = options;
  if (!Bun.env.SCREENSHOTS) return;
  for (const [look, width, scheme] of LOOKS) {
    await page.setViewport({ width, height });
    await page.emulateMediaFeatures([
      { name: "prefers-color-scheme", value: scheme },
      { name: "prefers-reduced-motion", value: "reduce" },
    ]);
    await picture(page, `${name}-${look}`, options);
  }
  await page.setViewport({ width: 1280, height });
}

/** With the rules that may find what the looks before did not. */
const RULES: Record<string, Rules> = {
  light: "all",
  dark: "colours",
  phone: "all",
  "phone-dark": "colours",
};

/** In each look axe-core finds nothing, and the page is no wider than the screen. */
export async function expectLooks(page: Page, name: string, options: Picture = {}): Promise<void> {
  const height = 900;
  for (const [look, width, scheme] of [...LOOKS, ["phone-dark", 390, "dark"] as const]) {
    await page.setViewport({ width, height });
    await page.emulateMediaFeatures([{ name: "prefers-color-scheme", value: scheme }]);
    expect(await barriers(page, RULES[look])).toEqual([]);
    expect(await page.evaluate("document.documentElement.scrollWidth")).toBe(width);
    await picture(page, `${name}-${look}`, options);
  }
  await page.setViewport({ width: 1280, height });
  await page.emulateMediaFeatures([{ name: "prefers-color-scheme", value: "light" }]);
}
