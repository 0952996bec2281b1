/** The text of a job that speaks: of the request, of a file of its project, or at an address; divided into chapters, and checked at once. */

import type { Principal } from "../../../accounts/principal.ts";
import type { Picture } from "../../../audio/tags.ts";
import { byteText } from "../../../byte-text.ts";
import { DOCUMENT_BYTES_MAX, type Documents } from "../../../documents/document-reader.ts";
import type { Cover, DocumentText, Section } from "../../../documents/document-text.ts";
import type { Claim } from "../../../engine/runner.ts";
import { type Detail, invalidInput, Refusal } from "../../../errors.ts";
import type { Files } from "../../../files/files.ts";
import { noSuchFile } from "../../../jobs/new-row.ts";
import { chaptersAtHeadings, codePointsIn, type TitledText, textPieces } from "../../../jobs/text-pieces.ts";
import type { Holding } from "../../../memory/budget.ts";
import { CHARACTERS_MAX, LONG_CHARACTERS_MAX, TITLE_MAX } from "../../../metered/request-limits.ts";
import { checkedUrl, type Guard, type GuardedAnswer, guardedRequest } from "../../../net/guarded-request.ts";
import { isSsml, readScript } from "../../../speech/script/read-script.ts";
import { CHAPTERS_MAX, type LongSpeech } from "../long-speech-fields.ts";

/** `title`, `author` and `cover`: as the document has them. */
type LongText = {
  chapters: TitledText[];
  fileId: string | null;
  url: string | null;
  title: string | null;
  author: string | null;
  cover: Picture | null;
};

type TextDeps = { files: Pick<Files, "find" | "content">; documents: Documents; guard: Guard };

/** Whose text, and what it may take to read it. */
type For = { owner: Principal; holding: Pick<Holding, "take">; claim: Claim };

export const openLongTexts =
  (deps: TextDeps) =>
  async (long: LongSpeech, by: For): Promise<LongText> => {
    const { input, input_file_id: fileId = null, input_url: url = null, chapters } = long;
    const of = { fileId, url };
    if (Array.isArray(chapters)) {
      const titled = chapters.map(({ title, input }) => ({ title, text: input }));
      await check(titled, (index) => `chapters.${index}.input`);
      return { chapters: titled, title: null, author: null, cover: null, ...of };
    }
    const isDivided = chapters === "headings";
    const field = fileId !== null ? "input_file_id" : url !== null ? "input_url" : "input";
    const text = await textOf(deps, { input, fileId, url }, by);
    const titled = typeof text === "string" ? divided(text, isDivided) : chaptersOf(text, isDivided);
    if (titled.length > CHAPTERS_MAX)
      throw refused("chapters", "too_long", `would be ${titled.length}; a job may have ${CHAPTERS_MAX}`);
    await check(titled.length === 0 ? [{ title: "", text: "" }] : titled, () => field);
    const { title = null, author = null, cover = null } = typeof text === "string" ? {} : text;
    return { chapters: titled, title, author, cover: cover && pictureOf(cover), ...of };
  };

const pictureOf = ({ type, base64 }: Cover): Picture => ({ type, bytes: Buffer.from(base64, "base64") });

function divided(text: string, isDivided: boolean): TitledText[] {
  if (isDivided && isSsml(text))
    throw refused("chapters", "malformed", "divides plain text and Markdown, and not SSML");
  return isDivided ? chaptersAtHeadings(text) : [{ title: "", text }];
}

/** Those within others are left out where there would be too many. */
function chaptersOf({ sections }: DocumentText, isDivided: boolean): TitledText[] {
  const whole = (parts: readonly Section[]) => parts.map(({ text }) => text).join("\n\n");
  if (!isDivided) return [{ title: "", text: whole(sections) }];
  if (sections.length <= CHAPTERS_MAX) return sections.map(({ title, text }) => ({ title, text }));
  const chapters: Section[][] = [];
  for (const section of sections) {
    if (section.level === 1 || chapters.length === 0) chapters.push([section]);
    else chapters.at(-1)!.push(section);
  }
  return chapters.map((parts) => ({ title: parts[0]!.title, text: whole(parts) }));
}

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
const OTHERS = /\.(?:pdf|docx?|odt|rtf|mobi|azw3?|zip)$/i;
const PAGES = /\.x?html?$/i;
const EPUB = /\.epub$/i;
/** Of UTF-8, at most. */
const BYTES_MAX = 4 * LONG_CHARACTERS_MAX;
const LIMITS = { textMax: 2 * LONG_CHARACTERS_MAX, titleMax: TITLE_MAX };
const READ = "send plain text, Markdown, SSML, an EPUB or HTML";

type Asked = { input: string | undefined; fileId: string | null; url: string | null };

/** A text as it is, or what is read of a document. */
async function textOf(
  deps: TextDeps,
  { input, fileId, url }: Asked,
  by: For,
): Promise<string | DocumentText> {
  if (fileId !== null) return textOfFile(deps, fileId, by);
  return url === null ? input! : textAt(deps, url, by);
}

async function textOfFile({ files, documents }: TextDeps, fileId: string, by: For) {
  const field = "input_file_id";
  const file = await files.find(by.owner, fileId);
  if (file === null) throw noSuchFile(field);
  const { filename } = file;
  const other = OTHERS.exec(filename)?.[0];
  if (other) throw refused(field, "malformed", `is a ${other} file: ${READ}`);
  const kind = EPUB.test(filename) ? "epub" : PAGES.test(filename) ? "page" : null;
  const content = files.content(file);
  if (kind === null) return plainText(content, { field, bytes: file.bytes, by });
  requireSmall(file.bytes, kind, field);
  return documents.read({ kind, content, charset: "", limits: LIMITS, field }, by.claim);
}

function requireSmall(bytes: number, kind: "epub" | "page", field: string): void {
  const max = DOCUMENT_BYTES_MAX[kind];
  if (bytes > max) throw refused(field, "too_long", `is larger than ${byteText(max)}`);
}

/** What addresses may answer, by its type; null: text as it is. */
const TYPES: Record<string, "epub" | "page" | null> = {
  "application/epub+zip": "epub",
  "text/html": "page",
  "application/xhtml+xml": "page",
  "text/plain": null,
  "text/markdown": null,
};

async function textAt({ documents, guard }: TextDeps, url: string, by: For) {
  const field = "input_url";
  const { type, charset, answer } = await fetchPage(guard, url, { param: field, signal: by.claim.signal });
  try {
    const kind = Object.hasOwn(TYPES, type) ? TYPES[type]! : undefined;
    if (kind === undefined)
      throw refused(
        field,
        "malformed",
        `answered neither a web page nor an EPUB nor text, but ${shown(type)}`,
      );
    const bytes = Number(answer.headers["content-length"] ?? 0) || 0;
    const content = answer.chunks();
    if (kind === null) return await plainText(content, { field, bytes, by });
    requireSmall(bytes, kind, field);
    return await documents.read({ kind, content, charset, limits: LIMITS, field }, by.claim);
  } finally {
    answer.close();
  }
}

const shown = (type: string) => (/^[\w.+/-]{1,100}$/.test(type) ? type : "something else");

type Plain = { field: string; bytes: number; by: For };

/** `bytes`: as many as it is said to be. */
async function plainText(content: AsyncIterable<Uint8Array>, { field, bytes, by }: Plain): Promise<string> {
  const tooLong = () => refused(field, "too_long", `is longer than ${LONG_CHARACTERS_MAX} characters`);
  if (bytes > BYTES_MAX) throw tooLong();
  by.holding.take(3 * (bytes || BYTES_MAX));
  const pieces: Uint8Array[] = [];
  let read = 0;
  for await (const piece of content) {
    read += piece.length;
    if (read > BYTES_MAX) throw tooLong();
    pieces.push(piece);
  }
  try {
    const text = new TextDecoder("utf-8", { fatal: true }).decode(Buffer.concat(pieces));
    if (!text.includes("\0")) return text;
  } catch {}
  throw refused(field, "malformed", `is not text in UTF-8: ${READ}`);
}

/**
 * The text at an address that a request names: a web page, a book or plain text, fetched under the guard of outgoing requests.
 *
 * `type`: as its sender says, without parameters.
 */
type FetchedPage = { type: string; charset: string; answer: GuardedAnswer };

const TOTAL_MS = 60_000;
const REDIRECTS_MAX = 5;
const ACCEPTED = "text/html, application/xhtml+xml, application/epub+zip, text/markdown, text/plain";

/** Whose answer is to be closed. Throws `url_not_allowed` and `url_unreachable`, also for an address that it redirects to. */
async function fetchPage(
  guard: Guard,
  address: string,
  { param, signal }: { param: string; signal: AbortSignal },
): Promise<FetchedPage> {
  const limited = AbortSignal.any([signal, AbortSignal.timeout(TOTAL_MS)]);
  let url = checkedUrl(address, param);
  for (let redirects = 0; ; redirects++) {
    const answer = await guardedRequest(guard, url, {
      ...{ method: "GET" as const, headers: { accept: ACCEPTED }, totalMs: TOTAL_MS, signal: limited, param },
    });
    const { status, headers } = answer;
    if (status === 200) return { ...typeOf(String(headers["content-type"] ?? "")), answer };
    answer.close();
    const next =
      REDIRECTS.includes(status) && redirects < REDIRECTS_MAX ? String(headers.location ?? "") : "";
    if (next === "") throw unreadable(status, param);
    url = checkedUrl(URL.parse(next, url.href)?.href ?? next, param);
  }
}

const REDIRECTS = [301, 302, 303, 307, 308];

const CHARSET = /;\s{0,5}charset\s{0,5}=\s{0,5}"?([\w-]{1,40})/i;

const typeOf = (header: string) => ({
  type: header.split(";", 1)[0]!.trim().toLowerCase(),
  charset: CHARSET.exec(header)?.[1] ?? "",
});

const unreadable = (status: number, param: string) =>
  new Refusal("url_unreachable", `The address could not be read. It answered with status ${status}.`, {
    param,
  });
