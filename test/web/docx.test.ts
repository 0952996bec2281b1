/** Promise: a transcript is a document that other programs read, with a paragraph for each turn, its speaker and its time. */
import { afterAll, describe, expect, test } from "bun:test";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { docx } from "../../src/web/playground/output/docx.ts";
import { pythonWith } from "../../testing/python.ts";

const python = pythonWith(["python-docx==1.2.0"]);
const unless = python === null ? " (skipped: python-docx could not be installed)" : "";
const folder = mkdtempSync(join(tmpdir(), "docx-"));
afterAll(() => rmSync(folder, { recursive: true }));

const READ = `
import docx, json, sys
of = lambda p: {"runs": [[r.text, bool(r.bold)] for r in p.runs], "rtl": p._p.pPr.find(docx.oxml.ns.qn("w:bidi")) is not None}
print(json.dumps([of(p) for p in docx.Document(sys.argv[1]).paragraphs]))
`;

type Paragraph = { runs: [text: string, isBold: boolean][]; rtl: boolean };

async function read(transcript: Parameters<typeof docx>[0]): Promise<Paragraph[]> {
  const file = join(folder, "transcript.docx");
  await Bun.write(file, docx(transcript));
  const { stdout, stderr } = Bun.spawnSync([python!, "-c", READ, file]);
  expect(stderr.toString()).toBe("");
  return JSON.parse(stdout.toString());
}

const textOf = ({ runs }: Paragraph) => runs.map(([text]) => text).join("");

describe.skipIf(python === null)(`a transcript as a document${unless}`, () => {
  test("has a paragraph for each turn and each pause, and the name of a speaker where it changes", async () => {
    const cues = [
      { start: 0, end: 2, text: "Good morning.", speaker: "Zoë & Co" },
      { start: 2.5, end: 4, text: "Is <this> on?", speaker: "Zoë & Co" },
      { start: 4, end: 5, text: "Yes.", speaker: "B" },
      { start: 3675, end: 3677, text: "Still.\u0001", speaker: "B" },
    ];
    const paragraphs = await read({ title: "Meeting", text: "", cues });
    expect(paragraphs.map(textOf)).toEqual([
      "Meeting",
      "0:00  Zoë & Co: Good morning. Is <this> on?",
      "0:04  B: Yes.",
      "1:01:15  Still.",
    ]);
    expect(paragraphs[1]!.runs.map(([, isBold]) => isBold)).toEqual([false, true, false]);
  });

  test("has the paragraphs of the text where no times are known", async () => {
    const paragraphs = await read({ title: "Notes", text: "One.\n\nTwo.\n", cues: [] });
    expect(paragraphs.map(textOf)).toEqual(["Notes", "One.", "Two."]);
  });

  test("marks paragraphs from right to left", async () => {
    const cues = [
      { start: 0, end: 1, text: "مرحبا بكم" },
      { start: 9, end: 10, text: "Hello" },
    ];
    const paragraphs = await read({ title: "x", text: "", cues });
    expect(paragraphs.map(({ rtl }) => rtl)).toEqual([false, true, false]);
  });
});
