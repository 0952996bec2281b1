/** Model packages: installed ones, available ones, and the progress of downloads. */
import type { ReactNode } from "react";
import { useSearchParams } from "wouter";
import { count } from "../format/numbers.ts";
import { Button, LinkButton } from "../ui/button.tsx";
import { Card } from "../ui/page.tsx";
import { QueryBoundary } from "../ui/query-boundary.tsx";
import { OperatorsOnly } from "./operators-only.tsx";
import { Downloads } from "./packages/downloads.tsx";
import { isProgram, type Package, titleOf } from "./packages/package.ts";
import { PackageCard } from "./packages/package-card.tsx";
import {
  type PackageFilter,
  PackageFilters,
  packageFilterOf,
  packagesLike,
} from "./packages/package-filters.tsx";
import { PackageOffer } from "./packages/package-offer.tsx";
import { usePackages } from "./packages/use-packages.ts";

export function Models() {
  return (
    <OperatorsOnly title="Models">
      <Packages />
    </OperatorsOnly>
  );
}

/** Of those that are not installed, until all are asked for. */
const SHOWN = 12;

function Packages() {
  const query = usePackages();
  const [address, setAddress] = useSearchParams();
  const filter = packageFilterOf(address);
  const change = (next: Record<string, string>) =>
    setAddress(
      Object.entries(next).filter(([name, value]) => value !== "" && `${name} ${value}` !== "kind all"),
      { replace: true },
    );
  const filtered = (next: PackageFilter) => change({ ...next, all: address.get("all") ?? "" });
  return (
    <QueryBoundary of={query}>
      {({ data }) => (
        <>
          <p>
            <LinkButton href="/setup/purpose">Open the set-up again</LinkButton>
          </p>
          <Downloads />
          <PackageOffer />
          <PackageFilters packages={data} filter={filter} onChange={filtered} />
          <Groups
            packages={packagesLike(data, filter)}
            showsAll={address.has("all")}
            onShowAll={() => change({ ...filter, all: "1" })}
          />
        </>
      )}
    </QueryBoundary>
  );
}

type GroupsProps = { packages: Package[]; showsAll: boolean; onShowAll: () => void };

function Groups({ packages, showsAll, onShowAll }: GroupsProps) {
  const programs = packages.filter(isProgram);
  const models = packages.filter((item) => !isProgram(item));
  const installed = models.filter(({ installed_version }) => installed_version !== null);
  const available = models
    .filter(({ installed_version }) => installed_version === null)
    .sort((a, b) => Number(b.recommended) - Number(a.recommended) || titleOf(a).localeCompare(titleOf(b)));
  const shown = showsAll ? available : available.slice(0, SHOWN);
  return (
    <div id="packages" role="tabpanel">
      {packages.length === 0 && <p className="empty">No package matches. Use fewer filters.</p>}
      {installed.length > 0 && <Group title="Installed" packages={installed} total={installed.length} />}
      {available.length > 0 && (
        <Group title="Available packages" packages={shown} total={available.length}>
          {shown.length < available.length && (
            <Button onClick={onShowAll}>Show all {count(available.length)}</Button>
          )}
        </Group>
      )}
      {programs.length > 0 && (
        <Group title="Programs under the GPL" packages={programs} total={programs.length} />
      )}
    </div>
  );
}

type GroupProps = { title: string; packages: Package[]; total: number; children?: ReactNode };

function Group({ title, packages, total, children }: GroupProps) {
  return (
    <Card title={title} actions={<small>{count(total)}</small>}>
      <div className="packages">
        {packages.map((item) => (
          <PackageCard key={item.name} item={item} />
        ))}
      </div>
      {children}
    </Card>
  );
}
