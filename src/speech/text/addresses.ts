/**
 * Web and e-mail addresses as they are read aloud, in every language whose words for their marks are known: without the
 * scheme, "www.", query and fragment.
 */
import { sayMarks } from "./lexicon/address-words.ts";

const WEB =
  /\b(?:https?|ftp|wss?):\/\/(?:www\.)?([^\s<>"'()[\]{}|\\^`，。、]{1,2000})|(?<![\w@./-])www\.([^\s<>"'()[\]{}|\\^`，。、]{1,2000})/gi;
/** A host that ends in a top level which is no word: those that are count only with a scheme or "www.". */
const BARE =
  /(?<![\w@./-])((?:[A-Za-z0-9-]{1,63}\.){1,5}(?:com|org|net|edu|gov|mil|int|info|biz|name|io|ai|dev|app|co|uk|de|fr|es|nl|ch|se|fi|dk|pl|cz|pt|gr|ie|eu|us|ca|au|nz|jp|cn|kr|ru|ua|br|mx|ar|za|tv|fm|gg|xyz|tech|cloud|site|online|store|shop|blog|news|wiki|page|live|studio|world)(?::\d{2,5})?(?:\/[\w.~%+@-]{0,100}){0,20}(?:[?#][^\s<>"']{0,500})?)(?![\w@-]|\.\w)/g;
const MAIL = /(?<![\w.+-])(?:mailto:)?([\w.+-]{1,64}@(?:[\w-]{1,63}\.){1,5}[a-z]{2,24})(?![\w-])/gi;
/** Two letters behind the last dot that are no word of English are spelled. */
const SPELLED =
  /(?<= dot )(?!co\b|me\b|to\b|so\b|it\b|in\b|is\b|at\b|be\b|am\b|my\b|do\b|no\b)([a-z]{2})(?= |$)/g;

export function readAddresses(text: string, language: string): string {
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
