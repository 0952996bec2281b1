/** A model package as a card: what it is for, its size, licence, languages and speed, a sample of its voice, and what can be done with it. */

import { useSession } from "../../api/session.ts";
import { byteSize, count } from "../../format/numbers.ts";
import { LOCALE } from "../../language/chosen.ts";
import { sampleOf } from "../../samples/sample-texts.ts";
import { useSpokenSentence } from "../../samples/spoken-sentence.ts";
import { Button } from "../../ui/button.tsx";
import { Badge } from "../../ui/page.tsx";
import { StatusLine } from "../../ui/status-line.tsx";
import { LicenseLink } from "./license-link.tsx";
import { type Package, titleOf } from "./package.ts";
import { PackageActions } from "./package-actions.tsx";
import { PackageState } from "./package-state.tsx";
import { PackageVariants } from "./package-variants.tsx";

const LANGUAGES_MAX = 4;

export function PackageCard({ item }: { item: Package }) {
  const [, purpose] = item.title.split(": ");
  return (
    <article className="package">
      <header>
        <h3>{titleOf(item)}</h3>
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
    size === null ? "size unknown" : byteSize(size),
    ...(languages.length > 0 ? [languageText(languages)] : []),
    ...(local === null ? [] : [`${factor(local)}× real time here`]),
    ...(speed === null || local !== null ? [] : [`${factor(speed)}× real time on 2 cores`]),
  ];
}

const factor = (speed: number): string => count(Math.round(speed * 10) / 10);

const names = new Intl.DisplayNames(LOCALE, { type: "language" });

function languageText(all: string[]): string {
  if (all.length > LANGUAGES_MAX) return `${all.length} languages`;
  return all.map((code) => names.of(code) ?? code).join(", ");
}

/** On which nodes a package is installed, where they differ. */
function PackageNodes({ item: { nodes } }: { item: Package }) {
  const missing = nodes.filter(({ installed_version }) => installed_version === null);
  if (missing.length === 0 || missing.length === nodes.length) return null;
  const names = missing.map(({ id, pull }) => (pull ? `${id} (${textOf(pull)})` : id)).join(", ");
  return (
    <p className="hint">
      Installed on {nodes.length - missing.length} of {nodes.length} nodes, not on {names}.
    </p>
  );
}

function textOf({ status, message, bytes, total }: NonNullable<Package["nodes"][number]["pull"]>): string {
  if (status === "failed") return message ?? "failed";
  return total > 0 ? `${Math.floor((100 * bytes) / total)} %` : "queued";
}

/**
 * A sentence in the voice of an installed package, with a test key of the operator's first organization; nothing for packages
 * that do not speak, and for operators without an organization.
 */
function PackageSample({ item: { name, sample } }: { item: Package }) {
  const [organization] = useSession().organizations;
  if (!sample || !organization) return null;
  return <Sample name={name} sample={sample} organization={organization.id} />;
}

type SampleProps = { name: string; sample: NonNullable<Package["sample"]>; organization: string };

function Sample({ name, sample: { model, voice, language }, organization }: SampleProps) {
  const { speak, message, isBusy } = useSpokenSentence(organization);
  return (
    <div className="sample">
      <Button
        busy={isBusy}
        aria-label={`Play a sample of ${name}`}
        onClick={() => void speak({ model, voice, input: sampleOf(language).voice })}
      >
        Play a sample
      </Button>
      <StatusLine id={`sample-${name}`} message={message} />
    </div>
  );
}
