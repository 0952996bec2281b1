/** A model package as a card: what it is for, its size, licence, languages and speed, a sample of its voice, and what can be done with it. */
import { bytes, count } from "../../format/numbers.ts";
import { Badge } from "../../ui/page.tsx";
import { LicenseLink } from "./license-link.tsx";
import type { Package } from "./package.ts";
import { PackageActions } from "./package-actions.tsx";
import { PackageNodes } from "./package-nodes.tsx";
import { PackageSample } from "./package-sample.tsx";
import { PackageState } from "./package-state.tsx";
import { PackageVariants } from "./package-variants.tsx";

const LANGUAGES_MAX = 4;

export function PackageCard({ item }: { item: Package }) {
  const [name, purpose] = item.title.split(": ");
  return (
    <article className="package">
      <header>
        <h3>{name}</h3>
        {item.recommended && <Badge tone="good">Recommended</Badge>}
      </header>
      {purpose && <p>{purpose}</p>}
      <p className="hint">{factsOf(item).join(" · ")}</p>
      <PackageState item={item} />
      <PackageNodes item={item} />
      <PackageSample item={item} />
      <PackageVariants item={item} />
      <footer>
        <LicenseLink of={item} />
        <PackageActions item={item} />
      </footer>
      <code className="id">
        {item.name} {item.installed_version ?? item.version}
      </code>
    </article>
  );
}

function factsOf({ bytes: size, languages, speed, local_speed: local }: Package): string[] {
  return [
    size === null ? "size unknown" : bytes(size),
    ...(languages.length > 0 ? [languageText(languages)] : []),
    ...(local === null ? [] : [`${factor(local)}× real time here`]),
    ...(speed === null || local !== null ? [] : [`${factor(speed)}× real time on 2 cores`]),
  ];
}

const factor = (speed: number): string => count(Math.round(speed * 10) / 10);

const names = new Intl.DisplayNames("en", { type: "language" });

function languageText(all: string[]): string {
  if (all.length > LANGUAGES_MAX) return `${all.length} languages`;
  return all.map((code) => names.of(code) ?? code).join(", ");
}
