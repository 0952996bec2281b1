/** Transcription of a file, dropped, chosen or recorded: its words on its waveform, and a text that can be corrected. */

import { useState } from "react";
import { transcriptionSnippets } from "../../api/snippets.ts";
import { apiBase } from "../../browser/addresses.ts";
import { transcribeTexts } from "../../language/en/transcribe.ts";
import { Button } from "../../ui/button.tsx";
import { Card } from "../../ui/page.tsx";
import { messageOf, StatusLine } from "../../ui/status-line.tsx";
import type { Access } from "../access/catalogue.ts";
import { Player } from "../audio/player.tsx";
import { CodeDrawer } from "../output/code-drawer.tsx";
import { TranscriptExport } from "../output/transcript-export.tsx";
import { DropZone } from "./drop-zone.tsx";
import { InBackground } from "./in-background.tsx";
import { Recorder } from "./recorder.tsx";
import { Timeline } from "./timeline.tsx";
import { Doubt, Transcript } from "./transcript.tsx";
import { cuesOf } from "./transcription.ts";
import { TranscriptionOptions } from "./transcription-options.tsx";
import { useTranscription } from "./use-transcription.ts";

/** `isActive`: this panel is the one that the user sees. */
type TranscribePanelProps = { access: Access; isActive: boolean };

export function TranscribePanel({ access, isActive }: TranscribePanelProps) {
  const t = transcribeTexts();
  const job = useTranscription(access);
  const { file, result, playback, error } = job;
  const [isEditing, setEditing] = useState(false);
  return (
    <div className="transcribe">
      <Card
        title={t("recording")}
        actions={
          <CodeDrawer
            snippets={() => transcriptionSnippets(apiBase(), job.request(), file?.name ?? "recording.wav")}
          />
        }
      >
        <DropZone isActive={isActive} onFile={job.open} />
        <Recorder onFile={job.open} />
        <TranscriptionOptions
          models={job.models}
          model={job.model}
          options={job.options}
          onChange={job.change}
        />
        <Button kind="primary" disabled={!file} busy={job.isBusy} onClick={job.run}>
          {t(file ? "transcribeAgain" : "transcribe")}
        </Button>
      </Card>
      <Card
        title={t("transcript")}
        actions={
          <>
            {job.isEdited && <Button onClick={job.undo}>{t("undo")}</Button>}
            {result && result.segments.length > 0 && (
              <Button aria-pressed={isEditing} onClick={() => setEditing(!isEditing)}>
                {t(isEditing ? "done" : "correct")}
              </Button>
            )}
          </>
        }
      >
        {file && <Player playback={playback} title={file.name} />}
        <StatusLine id="file-status" message={error ? messageOf(error) : job.message} />
        {file && job.isTooLarge && access.isReady && (
          <InBackground key={file.name} client={access.client} request={job.request} file={file} />
        )}
        {result ? (
          <>
            <Doubt result={result} model={job.model} />
            {result.words.length > 0 && <Timeline result={result} playback={playback} />}
            <Transcript
              result={result}
              playback={playback}
              isEditing={isEditing}
              onPlay={playback.playFrom}
              onEdit={job.edit}
            />
            <TranscriptExport
              name={file?.name.replace(/\.[^.]{1,8}$/, "") ?? "transcript"}
              text={result.text}
              cues={cuesOf(result)}
              json={result.response}
            />
          </>
        ) : (
          !file && <p className="empty">{t("empty")}</p>
        )}
      </Card>
    </div>
  );
}
