/** The lower-case English names of languages that verbose transcripts carry. */

let names: Intl.DisplayNames | null = null; // made for the first name: its data take milliseconds to load
/** What the compatible API calls otherwise than Unicode's locale data does. */
const OWN_NAMES: Record<string, string> = { bn: "bengali", mi: "maori", tl: "tagalog" };

/** "english" for the ISO 639 code "en"; anything without a known name is returned as it is. */
export function languageName(code: string): string {
  if (!/^[a-z]{2,3}$/.test(code)) return code;
  names ??= new Intl.DisplayNames("en", { type: "language" });
  return OWN_NAMES[code] ?? names.of(code)?.toLowerCase() ?? code;
}
