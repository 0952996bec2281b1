/** A page of the operator in a real browser, signed in, on a server of its own. */
import { join } from "node:path";
import type { Page } from "puppeteer-core";
import { openAccountsHarness, signUp } from "../api/management/people.ts";
import { openBrowser } from "../chromium.ts";
import type { Harness } from "../harness.ts";

export type OperatorPage = AsyncDisposable & {
  harness: Harness;
  page: Page;
  /** With SCREENSHOTS=folder, as the test of all pages saves them. */
  keep(name: string): Promise<void>;
};

/** `name`: of the page, as its address ends. */
export async function openOperatorPage(name: string): Promise<OperatorPage> {
  await using stack = new AsyncDisposableStack();
  const harness = stack.use(await openAccountsHarness({ plan: "unmetered" }));
  const operator = await signUp(harness, "root@example.com");
  const browser = stack.use(await openBrowser());
  const { page } = await browser.visit(`${harness.url}/operator/${name}`, operator);
  const opened = stack.move();
  return {
    ...{ harness, page },
    async keep(picture) {
      const folder = Bun.env.SCREENSHOTS;
      const path = join(folder ?? "", `${picture}.png`) as `${string}.png`;
      if (folder) await page.screenshot({ path, fullPage: true });
    },
    [Symbol.asyncDispose]: () => opened.disposeAsync(),
  };
}
