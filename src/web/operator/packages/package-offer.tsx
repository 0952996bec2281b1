/**
 * Offers an operator the packages that suit this machine, where only the built-in voices and recognizers run, and shows
 * the progress of their downloads.
 */
import { useWrite } from "../../api/queries.ts";
import { bytes } from "../../format/numbers.ts";
import { Button } from "../../ui/button.tsx";
import { Card } from "../../ui/page.tsx";
import { Failure } from "../../ui/query-boundary.tsx";
import { LicenseLink } from "./license-link.tsx";
import { isPulling, type Package } from "./package.ts";
import { PackageState } from "./package-state.tsx";
import { usePackages } from "./use-packages.ts";

/** Families that speak and recognize nothing by themselves. */
const HELPERS = ["misaki", "silero", "smart-turn", "program"];

export function PackageOffer() {
  const { data } = usePackages();
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
                {item.bytes === null ? "size unknown" : bytes(item.bytes)} · <LicenseLink of={item} />
              </small>
            </span>
            <span>
              <PackageState item={item} />
            </span>
          </li>
        ))}
      </ul>
      {pull.error && <Failure error={pull.error} />}
    </Card>
  );
}
