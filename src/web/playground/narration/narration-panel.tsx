/** The narration: a text as paragraphs, each with its voice and heard at once, spoken as a whole, and saved with its captions. */
import { useState } from "react";
import { srt, vtt } from "../../../transcription/subtitles.ts";
import { save } from "../../browser/save-file.ts";
import { narrationTexts } from "../../language/en/narration.ts";
import { speakTexts } from "../../language/en/speak.ts";
import { transcribeTexts } from "../../language/en/transcribe.ts";
import { Button } from "../../ui/button.tsx";
import { Choice } from "../../ui/form/form.tsx";
import { FormDialog } from "../../ui/form/form-dialog.tsx";
import { Icon } from "../../ui/icon.tsx";
import { Card } from "../../ui/page.tsx";
import { StatusLine } from "../../ui/status-line.tsx";
import { type Access, useModels, useVoices } from "../access/catalogue.ts";
import { ModelChoice } from "../access/model-choice.tsx";
import { Player } from "../audio/player.tsx";
import { nameOf } from "./draft.ts";
import { Paragraphs } from "./paragraphs.tsx";
import { type Drafts, useDrafts } from "./use-drafts.ts";
import { type Narration, useNarration } from "./use-narration.ts";
import { VoiceChoice } from "./voice-choice.tsx";

export function NarrationPanel({ access }: { access: Access }) {
  const t = narrationTexts();
  const drafts = useDrafts(access.owner);
  const { draft, change } = drafts;
  const [chosen, setChosen] = useState("");
  const models = useModels("tts", access).data;
  const model = models.find(({ id }) => id === chosen) ?? models[0];
  const voices = useVoices(model?.id ?? null, access).data;
  const narration = useNarration({ access, draft, model, voices });
  return (
    <Card title={speakTexts()("narration")} className="narration" actions={<DraftChoice drafts={drafts} />}>
      <div className="settings">
        {models.length > 1 && (
          <ModelChoice name="narration-model" models={models} model={model} onChoose={setChosen} />
        )}
        <VoiceChoice
          label={t("voice")}
          voices={voices}
          value={draft.voice ?? voices[0]?.id ?? ""}
          onChoose={(voice) => change({ voice })}
        />
      </div>
      <Paragraphs key={draft.id} {...{ draft, voices, narration, change }} />
      <Bar narration={narration} />
      <p className="hint">{t("hint")}</p>
    </Card>
  );
}

function DraftChoice({ drafts: { all, draft, open, add, remove } }: { drafts: Drafts }) {
  const t = narrationTexts();
  const [isAsking, setAsking] = useState(false);
  return (
    <>
      {all.length > 1 && (
        <Choice
          label={t("draft")}
          name="draft"
          value={draft.id}
          onChange={(event) => open(event.target.value)}
        >
          {all.map((each) => (
            <option key={each.id} value={each.id}>
              {nameOf(each)}
            </option>
          ))}
        </Choice>
      )}
      <Button onClick={add}>{t("newDraft")}</Button>
      <Button kind="danger" onClick={() => setAsking(true)}>
        {t("deleteDraft")}
      </Button>
      {isAsking && (
        <FormDialog
          kind="danger"
          title={t("deleteTitle")}
          submit={t("delete")}
          onSubmit={async () => remove()}
          onClose={() => setAsking(false)}
        >
          <p>{nameOf(draft)}</p>
        </FormDialog>
      )}
    </>
  );
}

/** What is done with the whole, and the player of what is heard. */
function Bar({ narration }: { narration: Narration }) {
  const t = narrationTexts();
  const exportTexts = transcribeTexts();
  const { playback, message, isBusy, playAll, stop, compose } = narration;
  const subtitles = (name: string, type: string, write: typeof srt) =>
    compose(({ cues }) => save(name, new Blob([write({ segments: cues })], { type })));
  return (
    <>
      <div className="play-line">
        {isBusy ? (
          <Button onClick={stop}>
            <Icon name="stop" /> {speakTexts()("stop")}
          </Button>
        ) : (
          <Button kind="primary" onClick={() => playAll()}>
            <Icon name="play" /> {t("speakAll")}
          </Button>
        )}
        <StatusLine id="narration-status" message={message} />
      </div>
      <Player
        playback={playback}
        title=""
        actions={
          <fieldset className="export" disabled={isBusy}>
            <legend>{exportTexts("export")}</legend>
            <Button
              aria-label={exportTexts("downloadAs", { format: "WAV" })}
              onClick={() => compose(({ file }) => save("loquat-narration.wav", file))}
            >
              WAV
            </Button>
            <Button
              aria-label={t("captionsAs", { format: "SRT" })}
              onClick={() => subtitles("loquat-narration.srt", "application/x-subrip", srt)}
            >
              SRT
            </Button>
            <Button
              aria-label={t("captionsAs", { format: "VTT" })}
              onClick={() => subtitles("loquat-narration.vtt", "text/vtt", vtt)}
            >
              VTT
            </Button>
          </fieldset>
        }
      />
    </>
  );
}
