/** A transcript as files: text, a document for word processors, SubRip, WebVTT and JSON; and on the clipboard. */

import type { Cue } from "../../../transcription/cues.ts";
import { srt, vtt } from "../../../transcription/subtitles.ts";
import { save } from "../../browser/save-file.ts";
import { transcribeTexts } from "../../language/en/transcribe.ts";
import { Button, CopyButton } from "../../ui/button.tsx";
import { docx } from "./docx.ts";

type TranscriptExportProps = {
  /** The base name of the files. */
  name: string;
  text: string;
  /** Empty where no times are known: then there are no subtitles. */
  cues: Cue[];
  json: unknown;
};

const DOCX = "application/vnd.openxmlformats-officedocument.wordprocessingml.document";

export function TranscriptExport({ name, text, cues, json }: TranscriptExportProps) {
  const t = transcribeTexts();
  const files: [string, string, () => string | Uint8Array<ArrayBuffer>][] = [
    ["TXT", "text/plain;charset=utf-8", () => `${text}\n`],
    ["DOCX", DOCX, () => docx({ title: name, text, cues })],
  ];
  if (cues.length > 0) {
    files.push(["SRT", "application/x-subrip;charset=utf-8", () => srt({ segments: cues })]);
    files.push(["VTT", "text/vtt;charset=utf-8", () => vtt({ segments: cues })]);
  }
  files.push(["JSON", "application/json;charset=utf-8", () => `${JSON.stringify(json, null, 2)}\n`]);
  return (
    <fieldset className="export">
      <legend>{t("export")}</legend>
      {files.map(([format, type, content]) => (
        <Button
          key={format}
          aria-label={t("downloadAs", { format })}
          onClick={() => save(`${name}.${format.toLowerCase()}`, new Blob([content()], { type }))}
        >
          {format}
        </Button>
      ))}
      <CopyButton text={text} label={t("copyText")} />
    </fieldset>
  );
}
