/** What the browser knows about the connection: the build of the page, and whether there is a network. */
import { build, noteFailure, ping } from "./connection.ts";

export function watchConnection(): void {
  build.page = document.querySelector<HTMLMetaElement>('meta[name="loquat-build"]')?.content ?? null;
  window.addEventListener("offline", noteFailure);
  window.addEventListener("online", () => void ping());
}
