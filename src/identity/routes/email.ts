/** What passes as an e-mail address: one line, one `@`, a dot within the domain. The length is looked at before the text. */

const LENGTH_MAX = 254;
/** What separates addresses in a mail's header, quotes in them, or is no character of a line. */
const FORBIDDEN = /[\s\p{Cc}\p{Cs},;<>"]/u;

/** In time that grows with the text, and not faster. */
export function isEmail(text: string): boolean {
  if (text.length > LENGTH_MAX || FORBIDDEN.test(text)) return false;
  const at = text.indexOf("@");
  if (at < 1 || text.includes("@", at + 1)) return false;
  const dot = text.indexOf(".", at + 2);
  return dot !== -1 && dot < text.length - 1;
}
