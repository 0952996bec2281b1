/** The dashboard as an installed app: its service worker, which shows a page while the server cannot be reached. */
import { site } from "./site.ts";

/** Browsers offer service workers to HTTPS and localhost only. Pages in a tab have none. */
export function watchInstallation(): void {
  if (!("serviceWorker" in navigator)) return;
  const register = () => {
    const scope = `${site.base}/`;
    navigator.serviceWorker.register(`${scope}assets/service-worker.js`, { scope }).catch(() => {}); // tried again by the next page
  };
  if (matchMedia("(display-mode: standalone)").matches) register();
  addEventListener("appinstalled", register);
}
