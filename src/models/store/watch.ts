/** Notices when a package was installed or removed, by this process or another. */
import { stampOf } from "./model-store.ts";

const INTERVAL_MS = 1000;

/** By polling: notifications of the file system do not cover network disks, nor a folder that does not exist yet. */
export function watchPackages(weights: string, onChange: () => void): Disposable {
  let last = stampOf(weights);
  const timer = setInterval(() => {
    const stamp = stampOf(weights);
    if (stamp === last) return;
    last = stamp;
    onChange();
  }, INTERVAL_MS);
  timer.unref();
  return { [Symbol.dispose]: () => clearInterval(timer) };
}
