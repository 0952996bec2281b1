/** The lower-case English names of languages that verbose transcripts carry. */

const NAMES = new Intl.DisplayNames("en", { type: "language" });
/** What the compatible API calls otherwise than Unicode's locale data does. */
const OWN_NAMES: Record<string, string> = { bn: "bengali", mi: "maori", tl: "tagalog" };

/** "english" for the ISO 639 code "en"; anything without a known name is returned as it is. */
export function languageName(code: string): string {
  if (!/^[a-z]{2,3}$/.test(code)) return code;
  return OWN_NAMES[code] ?? NAMES.of(code)?.toLowerCase() ?? code;
}
