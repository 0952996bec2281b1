/** What the page says about its server when it starts, and whether there is a network. */
import { build, noteFailure, ping } from "./connection.ts";
import { site } from "./site.ts";

export function watchConnection(): void {
  build.page = inPage("build");
  site.base = inPage("base") ?? "";
  window.addEventListener("offline", noteFailure);
  window.addEventListener("online", () => void ping());
}

const inPage = (name: string): string | null =>
  document.querySelector<HTMLMetaElement>(`meta[name="loquat-${name}"]`)?.content ?? null;
