/**
 * Text as an engine should read it: characters are plain, markup is silent, addresses are said, and English is written
 * out. Other languages leave their numbers to the engine, which reads them in its own language.
 *
 *   entities, escapes ──> groups of digits ──> characters ──> reasoning, formulas, markup ──> addresses
 *     ──> ranges of names ──> pauses ──> English rules ──> without unspoken marks
 *
 * Lines and paragraphs stay: a line is a pause, an empty line a longer one.
 */

import { UNREADABLE } from "../../engine/protocol/signs.ts";
import { primaryLanguage } from "../../language-tag.ts";
import { differences } from "./differences.ts";
import { readEnglish } from "./english/english.ts";
import { joinGroups, readNameRanges } from "./every-language.ts";
import { sayMarks } from "./lexicon/address-words.ts";
import type { Changed } from "./lexicon/rule.ts";
import { readFormulas } from "./markup/latex.ts";
import { decodeEntities, plainMarkdown, withoutEscapes, withoutReasoning } from "./markup/markup.ts";

/** Marks that are never said; the tags of expressions, which some voices speak, stay. */
const UNSAID = /[*_~^|\\{}[\]•·■□●○#`]+|<(?!(?:laugh|breath|sigh)>)|(?<!<(?:laugh|breath|sigh))>/g;

/** `language` is primary. */
type Step = (text: string, language: string) => string;

/** Made once, with what they need: most requests are short, and what is made for each costs more than reading them. */
const BEFORE: readonly Step[] = [
  decodeEntities,
  withoutEscapes,
  joinGroups,
  plainCharacters,
  withoutReasoning,
  (text, language) => readFormulas(text, language === "en"),
  (text) => plainMarkdown(text),
  readAddresses,
  readNameRanges,
  writePauses,
];

/** `language` is a tag; its region decides the order of dates in English. `changed` is told of each step's edits. */
export function normalizeText(text: string, language: string, changed?: Changed): string {
  const spoken = primaryLanguage(language);
  const stepped = (before: string, step: Step): string => {
    const read = step(before, spoken);
    if (changed && read !== before) changed(differences(before, read));
    return read;
  };
  const words = BEFORE.reduce(stepped, text);
  return stepped(spoken === "en" ? readEnglish(words, language, changed) : words, tidyLines);
}

const EMPTY_LINES = /\n{3,}/g;
const SPACES = /\s+/g;
const SPACE_BEFORE_MARK = / ([,.!?;:])/g;
const MARKS_AT_BEGIN = /^[\s,;:]+/;

function tidyLines(text: string): string {
  return text.split("\n").map(tidy).join("\n").replace(EMPTY_LINES, "\n\n").trim();
}

function tidy(line: string): string {
  return line
    .replace(UNSAID, " ")
    .replace(SPACES, " ")
    .replace(SPACE_BEFORE_MARK, "$1")
    .replace(MARKS_AT_BEGIN, "")
    .trim();
}

/** Forms of letters and digits that only look different: ligatures, full width, circled, mathematical. */
const STYLED =
  /[\uFB00-\uFB06\uFF10-\uFF19\uFF21-\uFF3A\uFF41-\uFF5A\u2160-\u217F\u2460-\u2473\u{1D400}-\u{1D7FF}]+/gu;
const EMOJI = /\p{Extended_Pictographic}|[\u{1F1E6}-\u{1F1FF}\u{1F3FB}-\u{1F3FF}\u{E0020}-\u{E007F}]/gu;
/** What only changes how its neighbours look: soft hyphens, directions, variants, fillers, joiners, the frame of a key. */
const INVISIBLE = /[[\p{DI}\u20E3]--[\u200C\u200D]]/gv;
/** Joiners change the letters of scripts that join; in any other place they part nothing and mean nothing. */
const STRAY_JOINER =
  /(?<![[\p{scx=Arab}\p{scx=Syrc}\p{scx=Mong}\p{scx=Nkoo}\p{scx=Deva}\p{scx=Beng}\p{scx=Guru}\p{scx=Gujr}\p{scx=Orya}\p{scx=Taml}\p{scx=Telu}\p{scx=Knda}\p{scx=Mlym}\p{scx=Sinh}\p{scx=Khmr}\p{scx=Mymr}\p{scx=Tibt}]&&[\p{L}\p{M}]])[\u200C\u200D]/gv;
const TEXT_MARKS = /[\p{L}\p{N}#*©®™↔→←]/u; // Unicode counts them as pictographs too
const EMOTICON = /(?<!\S)(?:[:;]['-]?[)(DPp|/\\]|<\/?3|\^_?\^|[xX]D|¯\\_\(ツ\)_\/¯)(?=[\s.,!?]|$)/g;
const SHORTCODE = /(?<![\w:]):[a-z][a-z_+-]{1,30}:(?![\w:])/g;

const MARKS: [RegExp, string][] = [
  [/\r\n?|\u2028|\u0085/g, "\n"],
  [/\u2029/g, "\n\n"],
  [UNREADABLE, " "],
  [/[^\S\n]+/g, " "],
  [/[“”„«»‟]/g, '"'],
  [/[‘’‚‛´]/g, "'"],
  [/[‐‑]/g, "-"],
  [/‒/g, "–"],
  [/―/g, "—"],
  [/…/g, "..."],
  [/[⁄∕]/g, "/"],
];

const composed = (styled: string): string => styled.normalize("NFKC");
const spaceForEmoji = (mark: string): string => (TEXT_MARKS.test(mark) ? mark : " ");

/**
 * The characters of a text as every later step expects them: composed, without controls and emoji, with plain spaces,
 * quotes and hyphens. Emoji and emoticons are silent in every language.
 */
function plainCharacters(input: string): string {
  let text = input.toWellFormed().replace(INVISIBLE, "").replace(STRAY_JOINER, "").normalize("NFC");
  text = text.replace(STYLED, composed).replace(EMOJI, spaceForEmoji);
  for (const [pattern, plain] of MARKS) text = text.replace(pattern, plain);
  return text.replace(EMOTICON, "").replace(SHORTCODE, "");
}

/** Marks that are read as a pause: dashes and bars between words, dots in a row, repeated ends of a sentence. */
const PAUSES: [RegExp, string][] = [
  [/(?<=\S)--+|--+(?=[A-Z\s"']|$)/gm, "—"],
  [/ ?—{1,9} ?(?=[.?!;:,])|(?<=^|(?:^|[\s(])["'])—{1,9} ?/gm, ""],
  [/(?<=[.!?:;,]["']?) ?—+ ?/g, " "],
  [/ ?—+ ?/g, ", "],
  [/(?<!\d) – | – (?!\d)/g, ", "],
  [/(?<!\d|\b[a-z]) - | - (?!\d|[a-z]\b)/g, ", "],
  [/ [|•·] /g, ", "],
  [/\. \. \.|\.{4,}/g, "..."],
  [/(?<=\p{L})\.\.\.(?=\p{L})/gu, "... "],
  [/!{2,}/g, "!"],
  [/\?{2,}/g, "?"],
  [/(?:\?!|!\?)[?!]*/g, "?!"],
];

function writePauses(text: string): string {
  return PAUSES.reduce((read, [pattern, mark]) => read.replace(pattern, mark), text);
}

const WEB =
  /\b(?:https?|ftp|wss?):\/\/(?:www\.)?([^\s<>"'()[\]{}|\\^`，。、]{1,2000})|(?<![\w@./-])www\.([^\s<>"'()[\]{}|\\^`，。、]{1,2000})/gi;
/** A host that ends in a top level which is no word: those that are count only with a scheme or "www.". */
const BARE =
  /(?<![\w@./-])((?:[A-Za-z0-9-]{1,63}\.){1,5}(?:com|org|net|edu|gov|mil|int|info|biz|name|io|ai|dev|app|co|uk|de|fr|es|nl|ch|se|fi|dk|pl|cz|pt|gr|ie|eu|us|ca|au|nz|jp|cn|kr|ru|ua|br|mx|ar|za|tv|fm|gg|xyz|tech|cloud|site|online|store|shop|blog|news|wiki|page|live|studio|world)(?::\d{2,5})?(?:\/[\w.~%+@-]{0,100}){0,20}(?:[?#][^\s<>"']{0,500})?)(?![\w@-]|\.\w)/g;
const MAIL = /(?<![\w.+-])(?:mailto:)?([\w.+-]{1,64}@(?:[\w-]{1,63}\.){1,5}[a-z]{2,24})(?![\w-])/gi;
/** Two letters behind the last dot that are no word of English are spelled. */
const SPELLED =
  /(?<= dot )(?!co\b|me\b|to\b|so\b|it\b|in\b|is\b|at\b|be\b|am\b|my\b|do\b|no\b)([a-z]{2})(?= |$)/g;

/**
 * Web and e-mail addresses as they are read aloud, in every language whose words for their marks are known: without the
 * scheme, "www.", query and fragment.
 */
function readAddresses(text: string, language: string): string {
  if (!/[./@]/.test(text)) return text;
  return text
    .replace(MAIL, (_all, mail: string) => say(mail, language))
    .replace(WEB, (_all, site: string | undefined, www: string | undefined) =>
      readSite((site ?? www)!, language),
    )
    .replace(BARE, (_all, site: string) => readSite(site, language));
}

/** Marks at its end belong to the sentence. */
function readSite(address: string, language: string): string {
  const site = address.replace(/[.,;:!?*_~]{1,20}$/, "");
  const end = address.slice(site.length).replace(/[*_~]/g, "");
  const path = site.replace(/[?#].*$/s, "").replace(/\/$/, "");
  return say(decoded(path), language) + end;
}

function decoded(path: string): string {
  try {
    return decodeURIComponent(path).replace(/[^\p{L}\p{M}\p{N}./@:_+~-]/gu, " ");
  } catch {
    return path;
  }
}

function say(address: string, language: string): string {
  const result = sayMarks(address, language).trim();
  return language === "en" ? result.replace(SPELLED, (letters) => letters.toUpperCase()) : result;
}
