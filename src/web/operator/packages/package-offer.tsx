/**
 * Offers an operator the packages that suit this machine, where only the built-in voices and recognizers run, and shows
 * the progress of their downloads.
 */
import "../../style/operator.css";
import { bytes } from "../../lib/format.ts";
import { useRead, useWrite } from "../../lib/queries.ts";
import { Button } from "../../ui/button.tsx";
import { Card } from "../../ui/page.tsx";
import { Failure } from "../../ui/query-boundary.tsx";
import type { Package } from "./package.ts";
import { isPulling, PackageState } from "./package-state.tsx";

const BUSY_MS = 1000;
const IDLE_MS = 15_000;
/** Families that speak and recognize nothing by themselves. */
const HELPERS = ["misaki", "silero", "smart-turn"];

export function PackageOffer() {
  const { data } = useRead(
    "GET /api/operator/models",
    {},
    { everyMs: (last) => (last?.data.some(isPulling) ? BUSY_MS : IDLE_MS) },
  );
  const offered = offerOf(data?.data ?? []);
  return offered.length > 0 ? <Offer packages={offered} /> : null;
}

/** All recommended packages until one that speaks or recognizes is installed, and while any is being pulled or failed. */
function offerOf(all: Package[]): Package[] {
  const recommended = all.filter((item) => item.recommended);
  const isOpen = recommended.some(({ pull }) => pull !== null);
  const hasModels = all.some((item) => item.installed_version !== null && !HELPERS.includes(item.family));
  const isComplete = recommended.every(({ installed_version }) => installed_version !== null);
  return (hasModels || isComplete) && !isOpen ? [] : recommended;
}

function Offer({ packages }: { packages: Package[] }) {
  const pull = useWrite("POST /api/operator/models/:package/pull");
  const missing = packages.filter((item) => item.installed_version === null && !isPulling(item));
  const size = missing.every((item) => item.bytes !== null)
    ? `, ${bytes(missing.reduce((sum, item) => sum + (item.bytes ?? 0), 0))}`
    : "";
  const install = () => {
    for (const { name } of missing) pull.mutate({ ids: { package: name }, body: {} });
  };
  return (
    <Card
      title="Natural voices and better recognition"
      actions={
        missing.length > 0 && (
          <Button kind="primary" busy={pull.isPending} onClick={install}>
            Install {missing.length} {missing.length === 1 ? "package" : "packages"}
            {size}
          </Button>
        )
      }
    >
      <p>This server uses its built-in voices and recognizers. These packages suit this machine:</p>
      <ul className="offer">
        {packages.map((item) => (
          <li key={item.name}>
            <span>
              {item.title}
              <small>
                {item.bytes === null ? "size unknown" : bytes(item.bytes)} ·{" "}
                <a
                  href={item.license.url}
                  target="_blank"
                  rel="noreferrer"
                  aria-label={`Licence of ${item.name}: ${item.license.spdx}, in a new tab`}
                >
                  {item.license.spdx}
                </a>
              </small>
            </span>
            <span className="offer-state">
              <PackageState item={item} />
            </span>
          </li>
        ))}
      </ul>
      {pull.error && <Failure error={pull.error} />}
    </Card>
  );
}
