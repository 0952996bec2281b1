/** The paragraphs of a draft: written in place, each heard by itself, with pauses and readings where they are spoken. */
import { type KeyboardEvent, useEffect, useRef, useState } from "react";
import { CHARACTERS_MAX } from "../../../metered/request-limits.ts";
import { count } from "../../format/numbers.ts";
import { narrationTexts } from "../../language/en/narration.ts";
import { speakTexts } from "../../language/en/speak.ts";
import { Button } from "../../ui/button.tsx";
import { Icon } from "../../ui/icon.tsx";
import type { Voice } from "../access/catalogue.ts";
import { newTrackId } from "../audio/track-id.ts";
import { usePlaybackValue } from "../audio/use-playback.ts";
import { MarkedText } from "../speak/marked-text.tsx";
import { type Caret, type Draft, type Edit, inserted, joinedBack, type Paragraph, typed } from "./draft.ts";
import { PAUSES_MS, pauseMark } from "./marks.ts";
import type { Narration } from "./use-narration.ts";
import { VoiceChoice } from "./voice-choice.tsx";

type ParagraphsProps = {
  draft: Draft;
  voices: Voice[];
  narration: Narration;
  change: (changes: Partial<Draft>) => void;
};

export function Paragraphs({ draft: { paragraphs }, voices, narration, change }: ParagraphsProps) {
  const fields = useRef(new Map<string, HTMLTextAreaElement>());
  const [caret, setCaret] = useState<Caret | null>(null);
  useEffect(() => {
    if (!caret) return;
    const field = fields.current.get(caret.id);
    field?.focus();
    field?.setSelectionRange(caret.at, caret.at);
  }, [caret]);
  function edit({ paragraphs, caret }: Edit) {
    change({ paragraphs });
    if (caret) setCaret(caret);
  }
  /** Puts a mark at `at`, and the caret at `behind` of it. */
  function insert({ id, at }: Caret, mark: string, behind = mark.length) {
    edit({ paragraphs: inserted(paragraphs, { id, at }, mark), caret: { id, at: at + behind } });
  }
  function onKeyDown(event: KeyboardEvent<HTMLTextAreaElement>, id: string) {
    const { selectionStart, selectionEnd } = event.currentTarget;
    if (event.key !== "Backspace" || selectionStart > 0 || selectionEnd > 0) return;
    const joined = joinedBack(paragraphs, id);
    if (!joined) return;
    event.preventDefault();
    edit(joined);
  }
  const set = (id: string, changes: Partial<Paragraph>) =>
    change({ paragraphs: paragraphs.map((each) => (each.id === id ? { ...each, ...changes } : each)) });
  return (
    <ol className="paragraphs">
      {paragraphs.map((paragraph, index) => (
        <ParagraphBlock
          key={paragraph.id}
          {...{ paragraph, number: index + 1, voices, narration }}
          onText={(text, at) => edit(typed(paragraphs, { id: paragraph.id, text, caret: at }, newTrackId))}
          onVoice={(voice) => set(paragraph.id, { voice: voice || null })}
          onKeyDown={(event) => onKeyDown(event, paragraph.id)}
          onField={(field) => void (field && fields.current.set(paragraph.id, field))}
          onPause={(ms) => {
            const at = fields.current.get(paragraph.id)!.selectionEnd;
            insert({ id: paragraph.id, at }, pauseMark(ms));
          }}
          onReading={() =>
            insert({ id: paragraph.id, at: wordEnd(fields.current.get(paragraph.id)!) }, "{}", 1)
          }
        />
      ))}
    </ol>
  );
}

/** Of the word at the caret, or of the selection. */
function wordEnd({ value, selectionStart, selectionEnd }: HTMLTextAreaElement): number {
  const selected = value.slice(selectionStart, selectionEnd).trimEnd();
  if (selected !== "") return selectionStart + selected.length;
  return selectionEnd + value.slice(selectionEnd).search(/[^\p{L}\p{N}]|$/u);
}

type BlockProps = {
  paragraph: Paragraph;
  number: number;
  voices: Voice[];
  narration: Narration;
  onText: (text: string, caret: number) => void;
  onVoice: (id: string) => void;
  onKeyDown: (event: KeyboardEvent<HTMLTextAreaElement>) => void;
  onField: (field: HTMLTextAreaElement | null) => void;
  onPause: (ms: number) => void;
  onReading: () => void;
};

function ParagraphBlock({ paragraph, number, voices, narration, ...on }: BlockProps) {
  const t = narrationTexts();
  const { playback, current, madeOf, playOne, stop } = narration;
  const track = usePlaybackValue(playback, (state) => state.track?.id);
  const made = madeOf(paragraph);
  const isCurrent = current === paragraph.id;
  return (
    <li className={isCurrent ? "current" : undefined}>
      <button
        type="button"
        className="round small"
        aria-label={isCurrent ? speakTexts()("stop") : t("speakOne", { number })}
        disabled={paragraph.text.trim() === ""}
        onClick={() => (isCurrent ? stop() : playOne(paragraph))}
      >
        <Icon name={isCurrent ? "stop" : "play"} />
      </button>
      <MarkedText
        label={t("paragraph", { number })}
        name={`paragraph-${number}`}
        rows={1}
        text={paragraph.text}
        maxLength={CHARACTERS_MAX}
        playback={playback}
        synthesis={made && made.id === track ? made : undefined}
        onChange={on.onText}
        onKeyDown={on.onKeyDown}
        onField={on.onField}
      />
      <div className="paragraph-tools">
        <VoiceChoice
          label={t("voiceOf", { number })}
          voices={voices}
          value={paragraph.voice ?? ""}
          unset={t("draftVoice")}
          onChoose={on.onVoice}
        />
        <select
          aria-label={t("pauseIn", { number })}
          value=""
          onChange={(event) => on.onPause(Number(event.target.value))}
        >
          <option value="" disabled>
            {t("pause")}
          </option>
          {PAUSES_MS.map((ms) => (
            <option key={ms} value={ms}>
              {count(ms / 1000)} s
            </option>
          ))}
        </select>
        <Button
          kind="quiet"
          aria-label={t("readingIn", { number })}
          title={t("readingHint", { example: "nginx{engine x}" })}
          onClick={on.onReading}
        >
          {t("reading")}
        </Button>
      </div>
    </li>
  );
}
