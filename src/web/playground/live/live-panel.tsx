/** Live transcription of the microphone: large captions, utterance by utterance. */

import { type ReactNode, useEffect, useRef, useState } from "react";
import { STT_MODEL } from "../../api/public-api.ts";
import { realtimeSnippets } from "../../api/snippets.ts";
import { apiBase } from "../../browser/addresses.ts";
import { useNow } from "../../browser/now.ts";
import { ms } from "../../format/numbers.ts";
import { liveTexts } from "../../language/en/live.ts";
import { speakTexts } from "../../language/en/speak.ts";
import { transcribeTexts } from "../../language/en/transcribe.ts";
import { Button } from "../../ui/button.tsx";
import { Icon } from "../../ui/icon.tsx";
import { Card } from "../../ui/page.tsx";
import { StatusLine } from "../../ui/status-line.tsx";
import { type Access, type Model, useModels } from "../access/catalogue.ts";
import { ModelChoice } from "../access/model-choice.tsx";
import { isMicrophoneOffered } from "../audio/capture.ts";
import { MicrophoneNotice } from "../audio/microphone-notice.tsx";
import { CodeDrawer } from "../output/code-drawer.tsx";
import { TranscriptExport } from "../output/transcript-export.tsx";
import { SessionTimer } from "../realtime/session-timer.tsx";
import { TurnChoice } from "../realtime/turn-choice.tsx";
import { KeywordsField, keywordsIn } from "../voices/keywords-field.tsx";
import { LanguageChoice } from "../voices/language-choice.tsx";
import { type LiveSettings, sessionConfig, type TurnDetection } from "./live-session.ts";
import { type Phase, useLive } from "./use-live.ts";
import { cuesOf, delayText, isVisible, type Utterance } from "./utterances.ts";

const TURN_ENDS = ["server_vad", "semantic_vad"] as const;
const SNIPPET_RATE = 24_000;

export function LivePanel({ access }: { access: Access }) {
  const { models, model, settings, change, keywords, setKeywords } = useSettings(access);
  const t = liveTexts();
  const live = useLive(access.client, settings);
  const visible = live.utterances.filter(isVisible);
  return (
    <Card
      title={t("title")}
      actions={
        <CodeDrawer
          snippets={() => realtimeSnippets(apiBase(), sessionConfig(settings, SNIPPET_RATE))}
          note={t("needsNode")}
        />
      }
    >
      {!isMicrophoneOffered() && <MicrophoneNotice />}
      <div className="live-line">
        <StartStop {...live} isReady={access.isReady && isMicrophoneOffered()} />
        <SessionTimer
          startedAt={live.phase === "opening" ? null : live.startedAt}
          isRunning={live.phase === "listening"}
        />
        <meter min={0} max={1} value={live.level} aria-label={transcribeTexts()("level")} />
        <LiveOptions
          models={models}
          model={model}
          settings={settings}
          isDisabled={live.phase !== "idle"}
          onChange={change}
        />
      </div>
      <details>
        <summary>{transcribeTexts()("keywords")}</summary>
        <KeywordsField
          name="live-keywords"
          value={keywords}
          isDisabled={live.phase !== "idle"}
          onChange={setKeywords}
        />
      </details>
      <StatusLine id="live-status" message={live.message} />
      <Captions utterances={visible} />
      {live.awaitedSince !== null && <Behind since={live.awaitedSince} />}
      {delayText(visible) && <p className="hint">{delayText(visible)}</p>}
      {visible.length > 0 && live.phase === "idle" && (
        <TranscriptExport
          name="live"
          text={visible.map(({ text }) => text).join("\n")}
          cues={cuesOf(visible)}
          json={visible.map(({ text, startMs, endMs, latencyMs }) => ({ text, startMs, endMs, latencyMs }))}
        />
      )}
    </Card>
  );
}

/** Of the next session; without a chosen model it is the first that transcribes live. */
function useSettings(access: Access) {
  const models = useModels("stt", access).data.filter(({ capabilities }) =>
    capabilities.includes("realtime"),
  );
  const [chosen, setChosen] = useState({
    model: "",
    language: "",
    turnDetection: "server_vad" as TurnDetection,
  });
  const [keywords, setKeywords] = useState("");
  const model = models.find(({ id }) => id === chosen.model) ?? models[0];
  const settings: LiveSettings = {
    ...chosen,
    model: model?.id ?? STT_MODEL,
    keywords: keywordsIn(keywords),
  };
  const change = (changes: Partial<LiveSettings>) => setChosen((before) => ({ ...before, ...changes }));
  return { models, model, settings, change, keywords, setKeywords };
}

const BEHIND_SECONDS = 3;

/** Says that words are late; while they come nothing is said. */
function Behind({ since }: { since: number }) {
  useNow(1000);
  const seconds = Math.floor((performance.now() - since) / 1000);
  if (seconds < BEHIND_SECONDS) return null;
  return (
    <p className="hint" role="status">
      {liveTexts()("late", { seconds })}
    </p>
  );
}

type StartStopProps = {
  phase: Phase;
  isReady: boolean;
  start: () => Promise<void>;
  stop: () => Promise<void>;
};

function StartStop({ phase, isReady, start, stop }: StartStopProps) {
  const t = liveTexts();
  if (phase === "listening")
    return (
      <Button kind="primary" onClick={() => void stop()}>
        <Icon name="stop" /> {speakTexts()("stop")}
      </Button>
    );
  return (
    <Button kind="primary" disabled={!isReady} busy={phase !== "idle"} onClick={() => void start()}>
      <Icon name="microphone" /> {t(phase === "finishing" ? "finishing" : "start")}
    </Button>
  );
}

type LiveOptionsProps = {
  models: Model[];
  model: Model | undefined;
  settings: LiveSettings;
  isDisabled: boolean;
  onChange: (changes: Partial<LiveSettings>) => void;
};

function LiveOptions({ models, model, settings, isDisabled, onChange }: LiveOptionsProps): ReactNode {
  const languages = model?.supported_languages ?? [];
  return (
    <>
      {models.length > 1 && (
        <ModelChoice
          name="live-model"
          models={models}
          model={model}
          isDisabled={isDisabled}
          onChoose={(id) => onChange({ model: id, language: "" })}
        />
      )}
      {languages.length > 1 && (
        <LanguageChoice
          name="live-language"
          languages={languages}
          value={settings.language}
          isDisabled={isDisabled}
          onChoose={(language) => onChange({ language })}
        />
      )}
      <TurnChoice
        name="turns"
        ends={TURN_ENDS}
        value={settings.turnDetection}
        isDisabled={isDisabled}
        onChoose={(turnDetection) => onChange({ turnDetection })}
      />
    </>
  );
}

/** The newest stays in view. */
function Captions({ utterances }: { utterances: Utterance[] }) {
  const t = liveTexts();
  const end = useRef<HTMLOListElement>(null);
  // biome-ignore lint/correctness/useExhaustiveDependencies: with each change of the captions
  useEffect(() => {
    end.current?.scrollTo({ top: end.current.scrollHeight });
  }, [utterances]);
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: scrolls with the keyboard
    <ol className="captions" ref={end} tabIndex={0} aria-label={t("transcript")} aria-live="polite">
      {utterances.map(({ itemId, text, interim, isFinal, latencyMs }) => (
        <li key={itemId} className={isFinal ? undefined : "open"} dir="auto">
          {text}
          {interim !== "" && (
            <span className="interim" aria-hidden="true">
              {text !== "" && " "}
              {interim}
            </span>
          )}{" "}
          {latencyMs !== null && <small>{t("after", { delay: ms(latencyMs) })}</small>}
        </li>
      ))}
      {utterances.length === 0 && <li className="placeholder">{t("appearsHere")}</li>}
    </ol>
  );
}
