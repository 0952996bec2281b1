/**
 * All voices that this organization can speak with, its own among them: found by words, language and kind, marked as
 * favourites, compared, and heard before one is chosen. Operators see those that they can install too.
 */

import { useState } from "react";
import { useSearchParams } from "wouter";
import { useOrganization, useSession } from "../../api/session.ts";
import { libraryTexts } from "../../language/en/library.ts";
import {
  type Access,
  type Model,
  useModels,
  useVoices,
  type Voice,
} from "../../playground/access/catalogue.ts";
import { useVoiceSamples, type VoiceSamples } from "../../playground/voices/use-voice-samples.ts";
import { Card } from "../../ui/page.tsx";
import { StatusLine } from "../../ui/status-line.tsx";
import { ComparedVoices } from "./compared-voices.tsx";
import { type Favourites, useFavourites } from "./favourites.ts";
import { LibraryFilters } from "./library-filters.tsx";
import { OfferedVoices } from "./offered-voices.tsx";
import { VoiceCard } from "./voice-card.tsx";
import { addressOf, type VoiceFilter, voiceFilterOf, voicesLike } from "./voice-filter.ts";

const COMPARED_MAX = 2;

export function Library({ access }: { access: Access }) {
  const [address, setAddress] = useSearchParams();
  const { operator } = useSession().user;
  const filter = voiceFilterOf(address);
  const models = useModels("tts", access).data;
  const model = models.find(({ id }) => id === filter.model) ?? models[0];
  const voices = useVoices(model?.id ?? null, access).data;
  const favourites = useFavourites(access.owner);
  const found = voicesLike(voices, filter, favourites.has);
  return (
    <>
      <LibraryFilters
        {...{ models, model, voices, filter, isOperator: operator }}
        onChange={(next) => setAddress(addressOf(next), { replace: true })}
      />
      {model && filter.show !== "offered" && (
        <Shown key={model.id} {...{ access, model, voices, found, filter, favourites }} />
      )}
      {operator && <OfferedVoices filter={filter} />}
    </>
  );
}

type ShownProps = {
  access: Access;
  model: Model;
  voices: Voice[];
  found: Voice[];
  filter: VoiceFilter;
  favourites: Favourites;
};

function Shown({ access: { client, owner }, model, voices, found, filter, favourites }: ShownProps) {
  const t = libraryTexts();
  const organization = useOrganization();
  const samples = useVoiceSamples({ client, owner, model, onStart: () => {} });
  const [compared, setCompared] = useState<string[]>([]);
  const hover = useHover(samples, organization.plan !== "prepaid");
  const toggle = (id: string) =>
    setCompared(
      compared.includes(id)
        ? compared.filter((each) => each !== id)
        : [...compared.slice(1 - COMPARED_MAX), id],
    );
  return (
    <>
      {compared.length > 0 && (
        <ComparedVoices
          voices={compared.flatMap((id) => voices.find((voice) => voice.id === id) ?? [])}
          samples={samples}
          onClose={() => setCompared([])}
        />
      )}
      <Card title={t("count", { count: found.length })}>
        <ul className="library">
          {found.map((voice) => (
            <VoiceCard
              key={voice.id}
              {...{ voice, samples, organization: organization.id, model: model.id }}
              {...hover(voice)}
              isFavourite={favourites.has(voice.id)}
              isCompared={compared.includes(voice.id)}
              onFavourite={() => favourites.toggle(voice.id)}
              onCompare={() => toggle(voice.id)}
            />
          ))}
        </ul>
        {found.length === 0 && (
          <p className="empty">
            {filter.show === "favourites" && voices.length > 0 ? t("noFavourites") : t("noMatch")}
          </p>
        )}
        <p className="hint">{t("hint")}</p>
        <StatusLine id="sample-status" message={samples.message} />
      </Card>
    </>
  );
}

const HOVER_MS = 450; // longer than a pointer that passes by

/** Plays the sample of the voice that a mouse rests on, where speech costs nothing. Browsers play only after a first click. */
function useHover(samples: VoiceSamples, isFree: boolean) {
  const [waiting] = useState<{ timer?: ReturnType<typeof setTimeout> }>({});
  return (voice: Voice) => ({
    onPointerEnter({ pointerType }: { pointerType: string }) {
      if (!isFree || pointerType !== "mouse" || !navigator.userActivation?.hasBeenActive) return;
      if (samples.active?.id === voice.id) return;
      waiting.timer = setTimeout(() => samples.toggle(voice), HOVER_MS);
    },
    onPointerLeave() {
      if (waiting.timer === undefined) return;
      clearTimeout(waiting.timer);
      delete waiting.timer;
      samples.stop();
    },
  });
}
