/** Voices that an operator can install, each with a recorded sample where there is one. */

import { useEffect, useState } from "react";
import { languageName } from "../../format/language-name.ts";
import { byteSize, count } from "../../format/numbers.ts";
import { libraryTexts } from "../../language/en/library.ts";
import { packagesTexts } from "../../language/en/packages.ts";
import { LicenseLink } from "../../operator/packages/license-link.tsx";
import { type Package, titleOf } from "../../operator/packages/package.ts";
import { PackageActions } from "../../operator/packages/package-actions.tsx";
import { PackageState } from "../../operator/packages/package-state.tsx";
import { isInstalled } from "../../operator/packages/total.ts";
import { usePackages } from "../../operator/packages/use-packages.ts";
import { refreshCatalogue } from "../../playground/access/catalogue.ts";
import { SampleButton } from "../../playground/voices/sample-button.tsx";
import { describeVoice } from "../../playground/voices/voice-words.ts";
import { Button } from "../../ui/button.tsx";
import { Card } from "../../ui/page.tsx";
import { StatusLine } from "../../ui/status-line.tsx";
import { useClipPlayer } from "../../ui/use-clip-player.ts";
import { recordedSample } from "./recorded-samples.ts";
import { colourOf } from "./voice-card.tsx";
import { offeredLike, type VoiceFilter, voicesOf } from "./voice-filter.ts";

/** Until all are asked for. */
const SHOWN_MAX = 12;

export function OfferedVoices({ filter }: { filter: VoiceFilter }) {
  const t = libraryTexts();
  const packages = usePackages().data?.data ?? [];
  const installed = packages.filter(isInstalled).length;
  const [showsAll, setShowsAll] = useState(false);
  // biome-ignore lint/correctness/useExhaustiveDependencies: what was installed is in the catalogue
  useEffect(refreshCatalogue, [installed]);
  const found = offeredLike(packages, filter).sort(byHeard);
  const shown = showsAll ? found : found.slice(0, SHOWN_MAX);
  if (found.length === 0) return null;
  return (
    <Card title={t("offered")} actions={<small>{count(found.length)}</small>}>
      <ul className="library offered">
        {shown.map((item) => (
          <Offered key={item.name} item={item} />
        ))}
      </ul>
      {shown.length < found.length && (
        <Button onClick={() => setShowsAll(true)}>{t("showAll", { count: found.length })}</Button>
      )}
    </Card>
  );
}

/** Those with a sample first, then those that suit the machine. */
const byHeard = (a: Package, b: Package): number =>
  rankOf(b) - rankOf(a) || titleOf(a).localeCompare(titleOf(b));
const rankOf = ({ name, recommended }: Package): number =>
  (recordedSample(name) === null ? 0 : 2) + Number(recommended);

function Offered({ item }: { item: Package }) {
  const player = useClipPlayer();
  const { name, bytes } = item;
  const isTitle = item.voices.length === 0 && item.languages.length === 0; // in English, as the manifest has it
  const sample = recordedSample(name);
  const toggle = () => player.toggle(name, async (signal) => (await fetch(sample!, { signal })).blob());
  return (
    <li style={colourOf(name)}>
      {sample !== null && (
        <SampleButton voice={{ id: name, name: titleOf(item) }} samples={{ ...player, toggle }} />
      )}
      <span className="names">
        <strong>{titleOf(item)}</strong>
        <small>
          <span lang={isTitle ? "en" : undefined}>{saysOf(item)}</span> ·{" "}
          {bytes === null ? packagesTexts()("sizeUnknown") : byteSize(bytes)}
        </small>
        {sample === null && <small>{libraryTexts()("noSample")}</small>}
      </span>
      {item.pull !== null && <PackageState item={item} />}
      <span className="changes">
        <small>
          <LicenseLink of={item} />
        </small>
        <PackageActions item={item} />
      </span>
      <StatusLine id={`sample-${name}`} message={player.message} />
    </li>
  );
}

/** "United States · male · plain" of one voice, "8 voices" of several, and the languages where they are not listed. */
function saysOf(item: Package): string {
  const [first, ...more] = voicesOf(item);
  if (!first)
    return item.languages.length > 0
      ? item.languages.map(languageName).join(", ")
      : (item.title.split(": ")[1] ?? "");
  return more.length === 0 ? describeVoice(first) : libraryTexts()("count", { count: more.length + 1 });
}
