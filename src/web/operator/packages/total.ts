/** What several downloads are together. */

import { byteSize } from "../../format/numbers.ts";
import { packagesTexts } from "../../language/en/packages.ts";
import type { Package } from "./package.ts";

export const isInstalled = ({ pull, installed_version, version }: Package) =>
  pull === null && installed_version === version;

export type Progress = { installed: number; packages: number; done: number; total: number | null };

/** Queued packages count with the size of their manifest; the total is null while a size is unknown. */
export function totalOf(batch: Package[]): Progress {
  const sizeOf = ({ pull, bytes: size }: Package) => pull?.total || size;
  const sizes = batch.map(sizeOf);
  const installed = batch.filter(isInstalled);
  const done = batch.map((item) => (isInstalled(item) ? (sizeOf(item) ?? 0) : (item.pull?.bytes ?? 0)));
  return {
    installed: installed.length,
    packages: batch.length,
    done: done.reduce((sum, one) => sum + one, 0),
    total: sizes.includes(null) ? null : sizes.reduce<number>((sum, one) => sum + one!, 0),
  };
}

type Download = { done: number; total: number; rate: number };

/** "12 MB of 336 MB, 4.1 MB/s": until its first byte arrives, what it waits for and its size. */
export function progressText({ done, total, rate }: Download): string {
  const t = packagesTexts();
  if (total === 0) return t("queued");
  if (done === 0) return t("connecting", { size: byteSize(total) });
  const amounts = { done: byteSize(done), total: byteSize(total) };
  return rate > 0 ? t("ofSizeRate", { ...amounts, rate: byteSize(rate) }) : t("ofSize", amounts);
}
