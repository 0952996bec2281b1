/** Model packages: installed ones, available ones, and the progress of downloads. */
import { count } from "../format/numbers.ts";
import { LinkButton } from "../ui/button.tsx";
import { Card } from "../ui/page.tsx";
import { QueryBoundary } from "../ui/query-boundary.tsx";
import { OperatorsOnly } from "./operators-only.tsx";
import { Downloads } from "./packages/downloads.tsx";
import { isProgram, type Package } from "./packages/package.ts";
import { PackageCard } from "./packages/package-card.tsx";
import { PackageOffer } from "./packages/package-offer.tsx";
import { usePackages } from "./packages/use-packages.ts";

export function Models() {
  return (
    <OperatorsOnly title="Models">
      <Packages />
    </OperatorsOnly>
  );
}

function Packages() {
  const query = usePackages();
  return (
    <QueryBoundary of={query}>
      {({ data }) => {
        const programs = data.filter(isProgram);
        const models = data.filter((item) => !isProgram(item));
        const installed = models.filter(({ installed_version }) => installed_version !== null);
        const available = models
          .filter(({ installed_version }) => installed_version === null)
          .sort((a, b) => Number(b.recommended) - Number(a.recommended));
        return (
          <>
            <p>
              <LinkButton href="/setup/purpose">Open the set-up again</LinkButton>
            </p>
            <Downloads />
            <PackageOffer />
            {installed.length > 0 && <Group title="Installed" packages={installed} />}
            {available.length > 0 && <Group title="Available packages" packages={available} />}
            {programs.length > 0 && <Group title="Programs under the GPL" packages={programs} />}
          </>
        );
      }}
    </QueryBoundary>
  );
}

function Group({ title, packages }: { title: string; packages: Package[] }) {
  return (
    <Card title={title} actions={<small>{count(packages.length)}</small>}>
      <div className="packages">
        {packages.map((item) => (
          <PackageCard key={item.name} item={item} />
        ))}
      </div>
    </Card>
  );
}
