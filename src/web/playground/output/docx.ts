/**
 * A transcript as a document for word processors (Office Open XML, ECMA-376): a paragraph for each turn of a speaker or each
 * pause, with its time. Pure.
 */
import type { Cue } from "../../../transcription/cues.ts";
import { storedZip } from "./stored-zip.ts";

type Transcript = {
  title: string;
  text: string;
  /** Empty where no times are known: then paragraphs are those of the text. */
  cues: readonly Cue[];
};

/** What is said without a long pause by one speaker. */
type Turn = { start: number; speaker: string | undefined; text: string };

const PAUSE_SECONDS = 2;
const TURN_SECONDS = 60;

export function docx({ title, text, cues }: Transcript): Uint8Array<ArrayBuffer> {
  const lines = text.split(/\n+/).filter((line) => line.trim() !== "");
  const content =
    cues.length > 0 ? turnsOf(cues).map(turnParagraph) : lines.map((line) => paragraph(run(line)));
  const heading = paragraph(run(title, '<w:b/><w:sz w:val="32"/>'));
  const body = `<w:body>${[heading, ...content].join("")}</w:body>`;
  return storedZip([
    {
      name: "[Content_Types].xml",
      text: `${XML}<Types xmlns="${PACKAGE}/content-types"><Default Extension="rels" ContentType="${RELATIONSHIPS_TYPE}"/><Override PartName="/word/document.xml" ContentType="${DOCUMENT_TYPE}"/></Types>`,
    },
    {
      name: "_rels/.rels",
      text: `${XML}<Relationships xmlns="${PACKAGE}/relationships"><Relationship Id="rId1" Type="${OFFICE}/officeDocument/2006/relationships/officeDocument" Target="word/document.xml"/></Relationships>`,
    },
    {
      name: "word/document.xml",
      text: `${XML}<w:document xmlns:w="${OFFICE}/wordprocessingml/2006/main">${body}</w:document>`,
    },
  ]);
}

const XML = '<?xml version="1.0" encoding="UTF-8" standalone="yes"?>\n';
const PACKAGE = "http://schemas.openxmlformats.org/package/2006";
const OFFICE = "http://schemas.openxmlformats.org";
const RELATIONSHIPS_TYPE = "application/vnd.openxmlformats-package.relationships+xml";
const DOCUMENT_TYPE = "application/vnd.openxmlformats-officedocument.wordprocessingml.document.main+xml";

/** The turns of cues: one ends with its speaker, with a pause, or after a minute. */
function turnsOf(cues: readonly Cue[]): Turn[] {
  const turns: Turn[] = [];
  let end = 0;
  for (const cue of cues) {
    const last = turns.at(-1);
    const isSame =
      last !== undefined &&
      last.speaker === cue.speaker &&
      cue.start - end < PAUSE_SECONDS &&
      cue.start - last.start < TURN_SECONDS;
    if (isSame) last.text += ` ${cue.text}`;
    else turns.push({ start: cue.start, speaker: cue.speaker, text: cue.text });
    end = cue.end;
  }
  return turns;
}

function turnParagraph({ start, speaker, text }: Turn, at: number, all: Turn[]): string {
  const time = run(`${timeText(start)}  `, '<w:color w:val="6B6B6B"/>');
  const isNew = speaker !== undefined && speaker !== all[at - 1]?.speaker;
  return paragraph(time + (isNew ? run(`${speaker}: `, "<w:b/>") : "") + run(text), text);
}

/** 0:03, 12:05, 1:02:03. */
function timeText(seconds: number): string {
  const whole = Math.max(0, Math.floor(seconds));
  const [hours, minutes] = [Math.floor(whole / 3600), Math.floor((whole % 3600) / 60)];
  const two = (part: number) => String(part).padStart(2, "0");
  return `${hours > 0 ? `${hours}:${two(minutes)}` : minutes}:${two(whole % 60)}`;
}

/** `told`: what says its direction. */
function paragraph(runs: string, told = ""): string {
  const direction = isFromRight(told) ? "<w:bidi/>" : "";
  return `<w:p><w:pPr>${direction}<w:spacing w:after="160"/></w:pPr>${runs}</w:p>`;
}

function run(text: string, format = ""): string {
  const direction = isFromRight(text) ? "<w:rtl/>" : "";
  return `<w:r><w:rPr>${format}${direction}</w:rPr><w:t xml:space="preserve">${escaped(text)}</w:t></w:r>`;
}

/** Whether its first letter is of a script from right to left. */
const isFromRight = (text: string): boolean =>
  /[\p{Script=Arabic}\p{Script=Hebrew}\p{Script=Syriac}\p{Script=Thaana}\p{Script=Nko}]/u.test(
    /\p{L}/u.exec(text)?.[0] ?? "",
  );

const ESCAPES: Record<string, string> = { "&": "&amp;", "<": "&lt;", ">": "&gt;" };

/** Without what XML cannot hold. */
const escaped = (text: string): string =>
  text
    .replace(/[^\t\n\r\u{20}-\u{D7FF}\u{E000}-\u{FFFD}\u{10000}-\u{10FFFF}]/gu, "")
    .replace(/[&<>]/g, (character) => ESCAPES[character]!);
