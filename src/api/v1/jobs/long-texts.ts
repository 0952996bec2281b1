/** The text of a job that speaks: of the request, or of a file of its project; divided into chapters, and checked at once. */
import type { Principal } from "../../../accounts/principal.ts";
import { type Detail, invalidInput } from "../../../errors.ts";
import type { Files } from "../../../files/files.ts";
import { noSuchFile } from "../../../jobs/new-row.ts";
import { chaptersAtHeadings, codePointsIn, type TitledText, textPieces } from "../../../jobs/text-pieces.ts";
import type { Holding } from "../../../memory/budget.ts";
import { CHARACTERS_MAX, LONG_CHARACTERS_MAX } from "../../../metered/request-limits.ts";
import { readScript } from "../../../speech/script/read-script.ts";
import { isSsml } from "../../../speech/script/ssml.ts";
import { CHAPTERS_MAX, type LongSpeech } from "../long-speech-fields.ts";

type LongText = { chapters: TitledText[]; fileId: string | null };

export const openLongTexts =
  (files: Pick<Files, "find" | "content">) =>
  async (owner: Principal, long: LongSpeech, holding: Pick<Holding, "take">): Promise<LongText> => {
    const { input, input_file_id: fileId = null, chapters } = long;
    if (Array.isArray(chapters)) {
      const titled = chapters.map(({ title, input }) => ({ title, text: input }));
      await check(titled, (index) => `chapters.${index}.input`);
      return { chapters: titled, fileId };
    }
    const field = fileId === null ? "input" : "input_file_id";
    const text = fileId === null ? input! : await textIn(files, { owner, fileId, holding });
    if (chapters === "headings" && isSsml(text))
      throw refused("chapters", "malformed", "divides plain text and Markdown, and not SSML");
    const titled = chapters === "headings" ? chaptersAtHeadings(text) : [{ title: "", text }];
    if (titled.length > CHAPTERS_MAX)
      throw refused("chapters", "too_long", `would be ${titled.length}; a job may have ${CHAPTERS_MAX}`);
    await check(titled.length === 0 ? [{ title: "", text }] : titled, () => field);
    return { chapters: titled, fileId };
  };

const refused = (field: string, code: Detail["code"], message: string) =>
  invalidInput([{ field, code, message }]);

/** Of so many pieces, others are served. */
const PIECES_AT_ONCE = 50;

/** Refuses what would be found only when it is spoken: marks that are wrong, SSML that is too long, a text that is empty. */
async function check(chapters: readonly TitledText[], fieldOf: (index: number) => string): Promise<void> {
  let characters = 0;
  let pieces = 0;
  for (const [index, { text }] of chapters.entries()) {
    const field = fieldOf(index);
    const sent = codePointsIn(text);
    characters += sent;
    if (text.trim() === "") throw refused(field, "too_short", "is empty");
    if (characters > LONG_CHARACTERS_MAX)
      throw refused(field, "too_long", `is longer than ${LONG_CHARACTERS_MAX} characters`);
    if (isSsml(text) && sent > CHARACTERS_MAX)
      throw refused(
        field,
        "too_long",
        `is SSML of more than ${CHARACTERS_MAX} characters: divide it into chapters`,
      );
    for (const piece of textPieces(text)) {
      readScript(piece.text);
      if (++pieces % PIECES_AT_ONCE === 0) await new Promise(setImmediate);
    }
  }
}

/** Those that are no text, by their names: a client learns of it before anything is read. */
const OTHERS = /\.(?:epub|pdf|docx?|odt|rtf|html?|mobi|azw3?|zip)$/i;
/** Of UTF-8, at most. */
const BYTES_MAX = 4 * LONG_CHARACTERS_MAX;
const PARAM = "input_file_id";

type Source = { owner: Principal; fileId: string; holding: Pick<Holding, "take"> };

async function textIn(
  files: Pick<Files, "find" | "content">,
  { owner, fileId, holding }: Source,
): Promise<string> {
  const file = await files.find(owner, fileId);
  if (file === null) throw noSuchFile(PARAM);
  const kind = OTHERS.exec(file.filename)?.[0];
  if (kind) throw refused(PARAM, "malformed", `is a ${kind} file: send plain text, Markdown or SSML`);
  if (file.bytes > BYTES_MAX)
    throw refused(PARAM, "too_long", `is longer than ${LONG_CHARACTERS_MAX} characters`);
  holding.take(3 * file.bytes);
  const pieces: Uint8Array[] = [];
  for await (const piece of files.content(file)) pieces.push(piece);
  try {
    const text = new TextDecoder("utf-8", { fatal: true }).decode(Buffer.concat(pieces));
    if (!text.includes("\0")) return text;
  } catch {}
  throw refused(PARAM, "malformed", "is not text in UTF-8");
}
