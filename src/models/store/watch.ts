/** Notices when a package was installed, changed or removed, or a manifest was added, by this process or another. */
import { addedOf, packagesOf } from "../../natives/store-layout.ts";
import { manifestsStamp } from "./model-store.ts";

const INTERVAL_MS = 1000;

/** By polling: notifications of the file system do not cover network disks, nor a folder that does not exist yet. */
export function watchPackages(weights: string, onChange: () => void): Disposable {
  const stampNow = () => manifestsStamp(packagesOf(weights)) + manifestsStamp(addedOf(weights));
  let last = stampNow();
  const timer = setInterval(() => {
    const stamp = stampNow();
    if (stamp === last) return;
    last = stamp;
    onChange();
  }, INTERVAL_MS);
  timer.unref();
  return { [Symbol.dispose]: () => clearInterval(timer) };
}
