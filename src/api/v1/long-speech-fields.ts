/** The fields with which a request for speech becomes a job, and what of them is refused. */
import Type, { type Static } from "typebox";
import { withoutNulls } from "../../bounded-json.ts";
import { type Detail, invalidInput } from "../../errors.ts";
import { LONG_CHARACTERS_MAX, TITLE_MAX } from "../../metered/request-limits.ts";
import { checker } from "../../schema.ts";
import { BackgroundFields, backgroundFaults } from "./background-fields.ts";

/** As many as an MP3 file can list. */
export const CHAPTERS_MAX = 255;

const Title = (description: string) =>
  Type.Optional(Type.String({ minLength: 1, maxLength: TITLE_MAX, description }));

export const LongSpeechFields = {
  background: Type.Optional(
    Type.Boolean({
      default: false,
      description: `Makes a job of it, which the answer describes with status 202: for long texts, of up to ${LONG_CHARACTERS_MAX} characters.`,
    }),
  ),
  input_file_id: Type.Optional(
    Type.String({
      pattern: "^[\\w.-]{1,100}$",
      description:
        "With background, in place of input: a file of the project with the text, which is plain, Markdown or SSML, in UTF-8, or an EPUB or HTML.",
    }),
  ),
  input_url: Type.Optional(
    Type.String({
      minLength: 1,
      maxLength: 2048,
      description:
        "With background, in place of input: the address of a web page, whose article is read, of an EPUB or of a text. It is fetched at once.",
    }),
  ),
  chapters: Type.Optional(
    Type.Union(
      [
        Type.Literal("headings"),
        Type.Array(
          Type.Object({
            title: Type.String({ maxLength: TITLE_MAX, description: "Its title; it is not spoken." }),
            input: Type.String({ minLength: 1, maxLength: LONG_CHARACTERS_MAX, description: "Its text." }),
          }),
          { minItems: 1, maxItems: CHAPTERS_MAX },
        ),
      ],
      {
        description: `With background: headings divides the text at headings of the first two levels, and a book also by its table of contents; or a list of up to ${CHAPTERS_MAX} chapters in place of input.`,
      },
    ),
  ),
  title: Title(
    "With background: the title, which MP3 and M4B files have as a tag; a book's or a page's own unless said.",
  ),
  author: Title(
    "With background: the author, which MP3 and M4B files have as a tag; a book's or a page's own unless said.",
  ),
  cover_file_id: Type.Optional(
    Type.String({
      pattern: "^[\\w.-]{1,100}$",
      description:
        "With background: a file of the project, a JPEG or PNG of up to 1 MB, which MP3 and M4B files have as their cover; a book's own unless said.",
    }),
  ),
  metadata: BackgroundFields.metadata,
};

const LongBody = Type.Object({
  ...LongSpeechFields,
  input: Type.Optional(Type.String({ minLength: 1, maxLength: LONG_CHARACTERS_MAX })),
});
const longBody = checker(LongBody);

export type LongSpeech = Omit<Static<typeof LongBody>, "background">;

/** `others`: those that it has as every request does. */
export function parseLongSpeech(body: unknown): { long: LongSpeech; others: Record<string, unknown> } {
  const sent = withoutNulls(body) as Record<string, unknown>;
  const { value, details } = longBody.check(sent);
  if (details !== null) throw invalidInput(details);
  const faults = faultsOf(value, sent);
  if (faults.length > 0) throw invalidInput(faults);
  const names = new Set([...Object.keys(LongSpeechFields), "input"]);
  const others = Object.fromEntries(Object.entries(sent).filter(([name]) => !names.has(name)));
  return { long: value, others };
}

function faultsOf(
  { input, input_file_id: fileId, input_url: url, chapters, metadata }: LongSpeech,
  sent: object,
): Detail[] {
  const { stream, stream_format: format } = sent as { stream?: unknown; stream_format?: unknown };
  const isListed = Array.isArray(chapters);
  const given = [input, fileId, url, isListed || undefined].filter((each) => each !== undefined).length;
  const details = backgroundFaults({ ...(metadata && { metadata }) });
  const refuse = (field: string, message: string, code: Detail["code"] = "malformed") =>
    details.push({ field, code, message });
  if (format !== undefined) refuse("stream_format", "cannot be together with background");
  if (stream === true) refuse("stream", "cannot be together with background");
  if (given === 0)
    refuse("input", "is required, or input_file_id, input_url, or a list of chapters", "required");
  if (given > 1)
    refuse(
      fileId !== undefined ? "input_file_id" : url !== undefined ? "input_url" : "chapters",
      "cannot be together with another text",
    );
  return details;
}

/** What a request that is no job cannot have. */
export function longFaults(sent: object): Detail[] {
  return ["input_file_id", "input_url", "chapters"]
    .filter((name) => name in sent)
    .map((field) => ({ field, code: "malformed", message: "is for requests with background" }));
}
