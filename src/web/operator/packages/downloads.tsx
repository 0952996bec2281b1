/** The progress of several downloads together: "3 of 5 packages, 412 MB of 707 MB, 1 min 10 s left". */

import { useEffect, useState } from "react";
import { byteSize } from "../../format/numbers.ts";
import { span } from "../../format/times.ts";
import { packagesTexts } from "../../language/en/packages.ts";
import { isPulling, type Package } from "./package.ts";
import { useRate } from "./package-state.tsx";
import { isInstalled, type Progress, totalOf } from "./total.ts";
import { usePackages } from "./use-packages.ts";

/** Nothing while fewer than two packages are downloaded. */
export function Downloads() {
  const { data } = usePackages();
  const batch = useBatch(data?.data ?? []);
  return batch.length > 1 ? <Total {...totalOf(batch)} /> : null;
}

/** Those that are being pulled, and those installed since one of them was. */
function useBatch(all: Package[]): Package[] {
  const [names, setNames] = useState<string[]>([]);
  const pulling = all
    .filter(isPulling)
    .map(({ name }) => name)
    .join();
  useEffect(() => {
    const now = pulling === "" ? [] : pulling.split(",");
    setNames((before) => (now.length === 0 ? [] : [...new Set([...before, ...now])]));
  }, [pulling]);
  if (pulling === "") return [];
  return all.filter((item) => names.includes(item.name) && (isPulling(item) || isInstalled(item)));
}

function Total({ installed, packages, done, total }: Progress) {
  const t = packagesTexts();
  const rate = useRate(done);
  const amounts = { installed, count: packages, done: byteSize(done) };
  const progress =
    total === null ? t("progress", amounts) : t("progressOf", { ...amounts, total: byteSize(total) });
  return (
    <div className="downloads" role="status">
      <progress aria-label={t("allDownloads")} {...(total === null ? {} : { max: total, value: done })} />
      <span>
        {rate > 0 && total !== null && total > done
          ? t("left", { progress, time: span(Math.ceil((total - done) / rate)) })
          : progress}
      </span>
    </div>
  );
}
