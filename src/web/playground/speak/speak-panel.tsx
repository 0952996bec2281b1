/** Text to speech: a text, a voice or several, and the recordings made of them. */

import { useEffect, useRef } from "react";
import { speechSnippets } from "../../api/snippets.ts";
import { apiBase } from "../../browser/addresses.ts";
import { withControl } from "../../browser/keys.ts";
import { save } from "../../browser/save-file.ts";
import { speakTexts } from "../../language/en/speak.ts";
import { Button } from "../../ui/button.tsx";
import { Icon } from "../../ui/icon.tsx";
import { Card } from "../../ui/page.tsx";
import { messageOf, StatusLine } from "../../ui/status-line.tsx";
import type { Access } from "../access/catalogue.ts";
import { Player } from "../audio/player.tsx";
import { usePlaybackValue } from "../audio/use-playback.ts";
import { CodeDrawer } from "../output/code-drawer.tsx";
import { downloadOf, type Synthesis } from "../synthesis/synthesis.ts";
import { VoiceList } from "../voices/voice-list.tsx";
import { Comparison } from "./comparison.tsx";
import { fileNameOf, History } from "./history.tsx";
import { LongText } from "./long-text.tsx";
import { ReadAlong } from "./read-along.tsx";
import { SettingsFields } from "./speech-settings.tsx";
import { TextField } from "./text-field.tsx";
import { type SpeechForm, useSpeechForm } from "./use-speech-form.ts";

/** `isActive`: this panel is the one that the user sees. */
type SpeakPanelProps = { access: Access; isActive: boolean };

export function SpeakPanel({ access, isActive }: SpeakPanelProps) {
  const t = speakTexts();
  const form = useSpeechForm(access);
  const { history, playback, voices } = form;
  usePlayShortcut(isActive, form.play);
  return (
    <div className="speak">
      <SpeechCard form={form} access={access} />
      <Card title={t("voices")}>
        {voices.length > 0 ? (
          <VoiceList
            voices={voices}
            chosen={form.chosen}
            isComparing={form.isComparing}
            samples={form.samples}
            onChoose={form.choose}
            onCompare={form.compare}
          />
        ) : (
          <p className="hint">{t(access.isReady ? "readingCatalogue" : "voicesOnceKey")}</p>
        )}
      </Card>
      <History
        history={history}
        onPlay={(item) => playback.load(item, { autoplay: true })}
        onReuse={form.reuse}
        onClear={form.clear}
      />
    </div>
  );
}

function SpeechCard({ form, access }: { form: SpeechForm; access: Access }) {
  const t = speakTexts();
  const { settings, change, speech, playback, error } = form;
  const current = usePlaybackValue(playback, ({ track }) => track?.id);
  const loaded = [...speech.results, ...form.history.items].find(({ id }) => id === current);
  const isOfText = loaded?.request.input === settings.text;
  return (
    <Card
      title={t("title")}
      actions={<CodeDrawer snippets={() => speechSnippets(apiBase(), form.request())} />}
    >
      <TextField
        text={settings.text}
        language={form.language}
        voice={form.isComparing ? undefined : form.voice}
        voices={form.voices}
        playback={playback}
        synthesis={isOfText ? loaded : undefined}
        onChange={(text) => change({ text })}
        onVoice={form.choose}
      />
      <SettingsFields
        models={form.models}
        model={form.model}
        settings={settings}
        isStreamed={form.isStreamed}
        onChange={change}
      />
      <div className="play-line">
        <PlayButton form={form} />
        <StatusLine id="speech-status" message={error ? messageOf(error) : speech.message} />
      </div>
      {form.isComparing && speech.results.length > 0 && (
        <Comparison
          results={speech.results}
          current={current}
          onPlay={(result) => playback.load(result, { autoplay: true })}
        />
      )}
      <Player
        playback={playback}
        title={loaded ? titleOf(loaded) : ""}
        actions={
          <Button disabled={!loaded} onClick={() => loaded && save(fileNameOf(loaded), downloadOf(loaded))}>
            <Icon name="download" />{" "}
            {t("downloadFormat", { format: loaded?.request.response_format ?? settings.format })}
          </Button>
        }
      />
      {loaded && !isOfText && <ReadAlong playback={playback} synthesis={loaded} />}
      {access.isReady && form.voice && (
        <LongText
          client={access.client}
          request={form.request}
          formats={form.model?.speech_options?.background_formats ?? []}
        />
      )}
    </Card>
  );
}

const titleOf = ({ voiceName, request }: Synthesis) => `${voiceName} · ${request.model}`;

/** Stops while something is being received or played. */
function PlayButton({ form: { speech, isPlaying, chosen, voice, isComparing, play } }: { form: SpeechForm }) {
  const t = speakTexts();
  if (speech.isBusy || isPlaying)
    return (
      <Button onClick={speech.stop}>
        <Icon name="stop" /> {t("stop")}
      </Button>
    );
  return (
    <Button kind="primary" aria-keyshortcuts="Control+Enter" onClick={play}>
      <Icon name="play" /> <span>{speakLabel({ isComparing, chosen, voice })}</span>{" "}
      <kbd>{withControl("↵")}</kbd>
    </Button>
  );
}

/** With the voice, where there is room for its name. */
function speakLabel({ isComparing, chosen, voice }: Pick<SpeechForm, "isComparing" | "chosen" | "voice">) {
  const t = speakTexts();
  if (isComparing) return t("speakWith", { count: chosen.length });
  if (!voice) return t("speak");
  return t.rich("speakAs", { voice: voice.name, as: (name) => <span className="as">{name}</span> });
}

/** Ctrl+Enter, or ⌘+Enter, from anywhere on the page. */
function usePlayShortcut(isActive: boolean, play: () => void) {
  const latest = useRef(play);
  latest.current = play;
  useEffect(() => {
    if (!isActive) return;
    const onKeyDown = (event: KeyboardEvent) => {
      if (event.key !== "Enter" || !(event.ctrlKey || event.metaKey)) return;
      if (document.querySelector("dialog[open]")) return;
      event.preventDefault();
      latest.current();
    };
    addEventListener("keydown", onKeyDown);
    return () => removeEventListener("keydown", onKeyDown);
  }, [isActive]);
}
