/** A voice of the library: its sample, what is known of it, and what can be done with it. */

import type { CSSProperties, KeyboardEvent, PointerEventHandler } from "react";
import { Link } from "wouter";
import { hrefOf } from "../../browser/navigation.ts";
import { languageName } from "../../format/language-name.ts";
import { libraryTexts } from "../../language/en/library.ts";
import type { Voice } from "../../playground/access/catalogue.ts";
import { SampleButton } from "../../playground/voices/sample-button.tsx";
import type { VoiceSamples } from "../../playground/voices/use-voice-samples.ts";
import { voiceColour } from "../../playground/voices/voice-mark.ts";
import { describeVoice } from "../../playground/voices/voice-words.ts";
import { Button } from "../../ui/button.tsx";
import { Icon } from "../../ui/icon.tsx";
import { Badge } from "../../ui/page.tsx";
import { isOwn } from "./voice-filter.ts";

type VoiceCardProps = {
  voice: Voice;
  samples: VoiceSamples;
  organization: string;
  model: string;
  isFavourite: boolean;
  isCompared: boolean;
  onFavourite: () => void;
  onCompare: () => void;
  onPointerEnter: PointerEventHandler;
  onPointerLeave: PointerEventHandler;
};

export function VoiceCard({ voice, samples, organization, model, ...props }: VoiceCardProps) {
  const t = libraryTexts();
  const { id, name } = voice;
  /** Where Space does nothing by itself: on the link. */
  function onKeyDown(event: KeyboardEvent) {
    if (event.key !== " " || !(event.target instanceof HTMLAnchorElement)) return;
    event.preventDefault();
    samples.toggle(voice);
  }
  const { isFavourite, isCompared, onFavourite, onCompare, ...hover } = props;
  return (
    <li style={colourOf(id)} onKeyDown={onKeyDown} {...hover}>
      <SampleButton voice={voice} samples={samples} />
      <span className="names">
        <strong>
          <bdi>{name}</bdi>
        </strong>
        <small>{[languageName(voice.language), describeVoice(voice)].filter(Boolean).join(" · ")}</small>
      </span>
      <button
        type="button"
        className="star"
        aria-pressed={isFavourite}
        aria-label={t("isFavourite", { voice: name })}
        title={t("favourite")}
        onClick={onFavourite}
      >
        <Icon name="star" />
      </button>
      <span className="changes">
        {isOwn(voice) && <Badge>{t("yours")}</Badge>}
        <Button aria-pressed={isCompared} aria-label={t("compareVoice", { voice: name })} onClick={onCompare}>
          {t("compare")}
        </Button>
        <Link
          className="button"
          aria-label={t("useVoice", { voice: name })}
          href={hrefOf(organization, `playground?model=${model}&voice=${id}`)}
        >
          {t("use")}
        </Link>
      </span>
    </li>
  );
}

export const colourOf = (id: string) => ({ "--voice": `var(--series-${voiceColour(id)})` }) as CSSProperties;
