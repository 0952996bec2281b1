/**
 * Offers an operator the packages that suit this machine, where only the built-in voices and recognizers run, and shows
 * the progress of their downloads.
 */

import { useState } from "react";
import { useWrite } from "../../api/queries.ts";
import { languageName } from "../../format/language-name.ts";
import { byteSize } from "../../format/numbers.ts";
import { packagesTexts } from "../../language/en/packages.ts";
import { Button } from "../../ui/button.tsx";
import { Card } from "../../ui/page.tsx";
import { Failure } from "../../ui/query-boundary.tsx";
import { LicenseLink } from "./license-link.tsx";
import { browserLanguages, offeredFor, spokenLanguages } from "./offered.ts";
import { isFailed, isPulling, type Package } from "./package.ts";
import { PackageState } from "./package-state.tsx";
import { usePackages } from "./use-packages.ts";

/** Families that speak and recognize nothing by themselves. */
const HELPERS = ["misaki", "silero", "smart-turn", "program"];

/** `isBeside`: the page has a main action of its own. */
export function PackageOffer({ isBeside = false }: { isBeside?: boolean }) {
  const { data } = usePackages();
  const [chosen, setChosen] = useState<string[] | null>(null);
  const all = data?.data ?? [];
  const languages = chosen ?? browserLanguages(all, navigator.languages);
  const offered = offeredFor(all, languages);
  if (!isOpen(all, offered)) return null;
  return (
    <Offer
      packages={offered}
      spoken={spokenLanguages(all)}
      languages={languages}
      isBeside={isBeside}
      onChoose={setChosen}
    />
  );
}

/** Until a package that speaks or recognizes is installed, and while any of the offered is being pulled or failed. */
function isOpen(all: Package[], offered: Package[]): boolean {
  if (offered.some(({ pull }) => pull !== null)) return true;
  const hasModels = all.some((item) => item.installed_version !== null && !HELPERS.includes(item.family));
  return !hasModels && offered.some(({ installed_version }) => installed_version === null);
}

type OfferProps = {
  packages: Package[];
  spoken: string[];
  languages: string[];
  isBeside: boolean;
  onChoose: (languages: string[]) => void;
};

function Offer({ packages, spoken, languages, isBeside, onChoose }: OfferProps) {
  const t = packagesTexts();
  return (
    <Card title={t("offerTitle")} actions={<OfferActions packages={packages} isBeside={isBeside} />}>
      <p>{t("offerText")}</p>
      <LanguageChoice spoken={spoken} languages={languages} onChoose={onChoose} />
      <ul className="offer">
        {packages.map((item) => (
          <li key={item.name}>
            <span>
              <span lang="en">{item.title}</span>
              <small>
                {item.bytes === null ? t("sizeUnknown") : byteSize(item.bytes)} · <LicenseLink of={item} />
              </small>
            </span>
            <span>
              <PackageState item={item} />
            </span>
          </li>
        ))}
      </ul>
    </Card>
  );
}

type LanguageChoiceProps = Omit<OfferProps, "packages" | "isBeside">;

/** Folded, so that the long list is no obstacle; the browser's languages are chosen at first. */
function LanguageChoice({ spoken, languages, onChoose }: LanguageChoiceProps) {
  const t = packagesTexts();
  const toggle = (language: string, isOn: boolean) =>
    onChoose(isOn ? [...languages, language] : languages.filter((each) => each !== language));
  return (
    <details className="languages">
      <summary>{t("languages", { languages: languages.map(languageName).join(", ") || t("none") })}</summary>
      <fieldset>
        <legend className="unseen">{t("languagesOfVoices")}</legend>
        {spoken.sort(byName).map((language) => (
          <label key={language}>
            <input
              type="checkbox"
              name={`language-${language}`}
              checked={languages.includes(language)}
              onChange={(event) => toggle(language, event.target.checked)}
            />
            {languageName(language)}
          </label>
        ))}
      </fieldset>
    </details>
  );
}

const byName = (one: string, other: string) => languageName(one).localeCompare(languageName(other));

function OfferActions({ packages, isBeside }: Pick<OfferProps, "packages" | "isBeside">) {
  const t = packagesTexts();
  const pull = useWrite("POST /api/operator/models/:package/pull");
  const cancel = useWrite("DELETE /api/operator/models/:package/pull");
  const missing = packages.filter((item) => item.installed_version === null && !isPulling(item));
  const asked = packages.filter(({ pull }) => pull !== null);
  const install = () => {
    for (const { name } of missing) pull.mutate({ ids: { package: name }, body: {} });
  };
  const cancelAll = () => {
    for (const { name } of asked) cancel.mutate({ ids: { package: name } });
  };
  const error = pull.error ?? cancel.error;
  return (
    <>
      {missing.length > 0 && (
        <Button kind={isBeside ? "plain" : "primary"} busy={pull.isPending} onClick={install}>
          {missing.some(isFailed) ? t("tryAgainNow") : installText(missing)}
        </Button>
      )}
      {asked.length > 0 && (
        <Button busy={cancel.isPending} onClick={cancelAll}>
          {t("cancelDownloads", { count: asked.length })}
        </Button>
      )}
      {error && <Failure error={error} />}
    </>
  );
}

/** "Install 5 packages, 707 MB"; without the size while one is unknown. */
function installText(packages: Package[]): string {
  const t = packagesTexts();
  const count = packages.length;
  if (packages.some((item) => item.bytes === null)) return t("install", { count });
  return t("installSize", {
    count,
    size: byteSize(packages.reduce((sum, item) => sum + (item.bytes ?? 0), 0)),
  });
}
