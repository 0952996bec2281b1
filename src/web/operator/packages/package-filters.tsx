/** Which packages the page of models shows: by what they do, their language, size and licence, and words of their titles. */

import { languageName, primaryOf } from "../../format/language-name.ts";
import { byteSize } from "../../format/numbers.ts";
import { wordsIn } from "../../format/search-words.ts";
import { FilterChoice } from "../../ui/form/filter-choice.tsx";
import { Field } from "../../ui/form/form.tsx";
import { Tabs } from "../../ui/tabs.tsx";
import type { Package } from "./package.ts";

const KINDS = {
  all: { name: "All", has: () => true },
  voices: { name: "Voices", has: ({ task }: Package) => task === "synthesis" },
  recognizers: { name: "Recognizers", has: ({ task }: Package) => task === "recognition" },
  live: { name: "Live", has: ({ task }: Package) => task === "streaming-recognition" },
  tools: {
    name: "Tools",
    has: ({ task }: Package) => !["synthesis", "recognition", "streaming-recognition"].includes(task),
  },
};

type Kind = keyof typeof KINDS;
const KIND_NAMES = Object.keys(KINDS) as Kind[];

const MB = 1_000_000;
const upTo = (bytes: number) => ({
  name: `Up to ${byteSize(bytes)}`,
  has: (size: number | null) => size !== null && size <= bytes,
});

/** By what is downloaded. */
const SIZES: Record<string, { name: string; has: (size: number | null) => boolean }> = {
  "50": upTo(50 * MB),
  "100": upTo(100 * MB),
  "300": upTo(300 * MB),
  "1000": upTo(1000 * MB),
  more: { name: `Over ${byteSize(1000 * MB)}`, has: (size) => size !== null && size > 1000 * MB },
  unknown: { name: "Unknown", has: (size) => size === null },
};

export type PackageFilter = { kind: Kind; language: string; size: string; license: string; search: string };

/** As the address has them; unknown values are ignored. */
export const packageFilterOf = (address: URLSearchParams): PackageFilter => ({
  kind: KIND_NAMES.find((name) => name === address.get("kind")) ?? "all",
  language: address.get("language") ?? "",
  size: Object.hasOwn(SIZES, address.get("size") ?? "") ? address.get("size")! : "",
  license: address.get("license") ?? "",
  search: address.get("search") ?? "",
});

/** What names no language is shown for each. Every word of the search is in the title or the name. */
export function packagesLike(
  packages: Package[],
  { kind, language, size, license, search }: PackageFilter,
): Package[] {
  const words = wordsIn(search);
  return packages.filter((item) => {
    const text = `${item.title} ${item.name} ${item.languages.map(languageName).join(" ")}`.toLowerCase();
    return (
      KINDS[kind].has(item) &&
      (language === "" || item.languages.length === 0 || languagesOf(item).includes(language)) &&
      (size === "" || SIZES[size]!.has(item.bytes)) &&
      (license === "" || item.license.spdx === license) &&
      words.every((word) => text.includes(word))
    );
  });
}

const languagesOf = ({ languages }: Package): string[] => languages.map(primaryOf);

type PackageFiltersProps = {
  packages: Package[];
  filter: PackageFilter;
  onChange: (filter: PackageFilter) => void;
};

export function PackageFilters({ packages, filter, onChange }: PackageFiltersProps) {
  const change = (field: keyof PackageFilter) => (value: string) => onChange({ ...filter, [field]: value });
  const amountOf = (kind: Kind) => packagesLike(packages, { ...filter, kind }).length;
  return (
    <>
      <Tabs
        id="kind"
        label="Kind"
        names={KIND_NAMES}
        chosen={filter.kind}
        onChoose={change("kind")}
        panelOf={() => "packages"}
      >
        {(kind) => (
          <>
            {KINDS[kind].name} <small>{amountOf(kind)}</small>
          </>
        )}
      </Tabs>
      <search className="filters">
        <Field
          type="search"
          label="Search"
          value={filter.search}
          autoComplete="off"
          onChange={(event) => change("search")(event.target.value)}
        />
        <FilterChoice
          label="Language"
          value={filter.language}
          options={optionsFor(packages.flatMap(languagesOf), languageName)}
          onChoose={change("language")}
        />
        <FilterChoice
          label="Size"
          value={filter.size}
          options={Object.entries(SIZES).map(([id, { name }]) => ({ id, name }))}
          onChoose={change("size")}
        />
        <FilterChoice
          label="Licence"
          value={filter.license}
          options={optionsFor(
            packages.map(({ license }) => license.spdx),
            (spdx) => spdx,
          )}
          onChoose={change("license")}
        />
      </search>
    </>
  );
}

const optionsFor = (values: string[], nameOf: (value: string) => string) =>
  [...new Set(values)].map((id) => ({ id, name: nameOf(id) })).sort((a, b) => a.name.localeCompare(b.name));
