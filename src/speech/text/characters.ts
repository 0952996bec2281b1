/**
 * The characters of a text as every later step expects them: composed, without controls and emoji, with plain spaces,
 * quotes and hyphens. Emoji and emoticons are silent in every language.
 */

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
  [/(?![\uE000-\uE0FF])[^\P{C}\n\u200C\u200D]|\uFFFD/gu, " "], // joiners that Indic scripts need stay, and signs of pronunciations
  [/[^\S\n]+/g, " "],
  [/[“”„«»‟]/g, '"'],
  [/[‘’‚‛´]/g, "'"],
  [/[‐‑]/g, "-"],
  [/‒/g, "–"],
  [/―/g, "—"],
  [/…/g, "..."],
  [/[⁄∕]/g, "/"],
];

export function plainCharacters(input: string): string {
  let text = input.toWellFormed().replace(INVISIBLE, "").replace(STRAY_JOINER, "").normalize("NFC");
  text = text.replace(STYLED, (styled) => styled.normalize("NFKC"));
  text = text.replace(EMOJI, (mark) => (TEXT_MARKS.test(mark) ? mark : " "));
  for (const [pattern, plain] of MARKS) text = text.replace(pattern, plain);
  return text.replace(EMOTICON, "").replace(SHORTCODE, "");
}
