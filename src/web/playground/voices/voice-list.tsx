/** The voices of a model: searched, grouped by language, each with a sample; one is chosen, or several to compare. */

import { type CSSProperties, useMemo, useState } from "react";
import { languageName } from "../../format/language-name.ts";
import { speakTexts } from "../../language/en/speak.ts";
import { StatusLine } from "../../ui/status-line.tsx";
import type { Voice } from "../access/catalogue.ts";
import { SampleButton } from "./sample-button.tsx";
import type { VoiceSamples } from "./use-voice-samples.ts";
import { voiceColour, voiceInitials } from "./voice-mark.ts";
import { describeVoice, isVoiceLike } from "./voice-words.ts";

export const COMPARED_MAX = 4;

type VoiceListProps = {
  voices: Voice[];
  /** Ids: one, or those that are compared. */
  chosen: string[];
  isComparing: boolean;
  samples: VoiceSamples;
  onChoose: (id: string) => void;
  onCompare: (isComparing: boolean) => void;
};

export function VoiceList({ voices, chosen, isComparing, samples, onChoose, onCompare }: VoiceListProps) {
  const t = speakTexts();
  const [search, setSearch] = useState("");
  const groups = useMemo(
    () => byLanguage(voices.filter((voice) => isVoiceLike(voice, search))),
    [voices, search],
  );
  return (
    <div className="voices">
      <div className="voice-tools">
        <input
          type="search"
          name="voice-search"
          aria-label={t("searchVoices")}
          dir="auto"
          placeholder={t("search")}
          value={search}
          onChange={(event) => setSearch(event.target.value)}
        />
        <label className="compare">
          <input
            type="checkbox"
            name="compare"
            checked={isComparing}
            onChange={(event) => onCompare(event.target.checked)}
          />
          {t("compare")}
        </label>
      </div>
      <p className="hint" role="status">
        {hintOf({ isComparing, chosen: chosen.length, isEmpty: voices.length > 0 && groups.length === 0 })}
      </p>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: scrolls with the keyboard */}
      <section className="voice-groups" tabIndex={0} aria-label={t("listOfVoices")}>
        {groups.map(({ language, members }) => (
          <fieldset key={language}>
            <legend>
              {languageName(language)} <small>{members.length}</small>
            </legend>
            {members.map((voice) => (
              <VoiceRow
                key={voice.id}
                voice={voice}
                letter={isComparing ? letterOf(chosen.indexOf(voice.id)) : null}
                isChosen={chosen.includes(voice.id)}
                samples={samples}
                onChoose={onChoose}
              />
            ))}
          </fieldset>
        ))}
      </section>
      <StatusLine id="sample-status" message={samples.message} />
    </div>
  );
}

/** A, B, C, D; empty for what is not compared. */
export const letterOf = (index: number): string => (index < 0 ? "" : String.fromCharCode(65 + index));

type Hint = { isComparing: boolean; chosen: number; isEmpty: boolean };

function hintOf({ isComparing, chosen, isEmpty }: Hint): string {
  const t = speakTexts();
  if (isEmpty) return t("noMatch");
  if (!isComparing) return t("sampleHint");
  return t("comparedHint", { count: chosen, max: COMPARED_MAX });
}

type VoiceRowProps = Pick<VoiceListProps, "samples" | "onChoose"> & {
  voice: Voice;
  /** Null where one voice is chosen. */
  letter: string | null;
  isChosen: boolean;
};

function VoiceRow({ voice, letter, isChosen, samples, onChoose }: VoiceRowProps) {
  const { id, name } = voice;
  return (
    <div className={isChosen ? "voice chosen" : "voice"}>
      <label title={voice.metadata.description}>
        <input
          type={letter === null ? "radio" : "checkbox"}
          name="voice"
          value={id}
          checked={isChosen}
          onChange={() => onChoose(id)}
        />
        <span className="initial" style={colourOf(id)} aria-hidden="true">
          {letter || voiceInitials(name)}
        </span>
        <span className="names">
          {name} <small>{describeVoice(voice)}</small>
        </span>
      </label>
      <SampleButton voice={voice} samples={samples} />
    </div>
  );
}

const colourOf = (id: string) => ({ "--voice": `var(--series-${voiceColour(id)})` }) as CSSProperties;

type Group = { language: string; members: Voice[] };

/** In the order of the catalogue. */
const byLanguage = (voices: Voice[]): Group[] =>
  [...Map.groupBy(voices, ({ language }) => language)].map(([language, members]) => ({ language, members }));
