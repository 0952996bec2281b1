/** The first page of the dashboard in a real browser with nothing cached: what it weighs, when it is first painted. */
import { openBrowser } from "../test/chromium.ts";
import { median, type Row } from "./row.ts";
import { startServer } from "./server.ts";

const VISITS = 7;

export async function benchPages(): Promise<Row[]> {
  await using server = await startServer();
  const origin = server.url;
  const begun = performance.now();
  const html = await (await fetch(`${origin}/sign-in`)).text();
  const bundledMs = performance.now() - begun;
  const files = [...html.matchAll(/(?:src|href)="(\/assets\/[^"]+)"/g)].map(([, path]) => path!);
  let bytes = Bun.gzipSync(new TextEncoder().encode(html)).length;
  for (const path of files) bytes += Bun.gzipSync(await (await fetch(origin + path)).arrayBuffer()).length;
  await using own = await openBrowser();
  const paints: number[] = [];
  for (let visit = 0; visit < VISITS; visit++) {
    const { page } = await own.visit(`${origin}/sign-in`);
    await page.waitForSelector("h1");
    const painted = await page.evaluate(
      "performance.getEntriesByName('first-contentful-paint')[0]?.startTime ?? performance.now()",
    );
    paints.push(Number(painted));
    await page.close();
  }
  return [
    { name: "first page, compressed", value: bytes / 1000, unit: "kB", target: "at most 250" },
    { name: "first paint, nothing cached", value: median(paints), unit: "ms", target: "at most 1000" },
    { name: "bundled, once a start", value: bundledMs, unit: "ms" },
  ];
}
