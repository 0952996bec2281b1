/** A transcript as files: text, SubRip, WebVTT and JSON; and on the clipboard. */

import type { Cue } from "../../../transcription/cues.ts";
import { srt, vtt } from "../../../transcription/subtitles.ts";
import { save } from "../../browser/save-file.ts";
import { transcribeTexts } from "../../language/en/transcribe.ts";
import { Button, CopyButton } from "../../ui/button.tsx";

type TranscriptExportProps = {
  /** The base name of the files. */
  name: string;
  text: string;
  /** Empty where no times are known: then there are no subtitles. */
  cues: Cue[];
  json: unknown;
};

export function TranscriptExport({ name, text, cues, json }: TranscriptExportProps) {
  const t = transcribeTexts();
  const files: [string, string, () => string][] = [["TXT", "text/plain", () => `${text}\n`]];
  if (cues.length > 0) {
    files.push(["SRT", "application/x-subrip", () => srt({ segments: cues })]);
    files.push(["VTT", "text/vtt", () => vtt({ segments: cues })]);
  }
  files.push(["JSON", "application/json", () => `${JSON.stringify(json, null, 2)}\n`]);
  return (
    <fieldset className="export">
      <legend>{t("export")}</legend>
      {files.map(([format, type, content]) => (
        <Button
          key={format}
          aria-label={t("downloadAs", { format })}
          onClick={() =>
            save(`${name}.${format.toLowerCase()}`, new Blob([content()], { type: `${type};charset=utf-8` }))
          }
        >
          {format}
        </Button>
      ))}
      <CopyButton text={text} label={t("copyText")} />
    </fieldset>
  );
}
