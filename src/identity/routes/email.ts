/** E-mail addresses: one line, one `@`, a dot within the domain. The length is checked before the text. */

const LENGTH_MAX = 254;
/** Separators and quotes of a mail header's addresses, and characters that do not belong in a line. */
const FORBIDDEN = /[\s\p{Cc}\p{Cs},;<>"]/u;

/** In linear time. */
export function isEmail(text: string): boolean {
  if (text.length > LENGTH_MAX || FORBIDDEN.test(text)) return false;
  const position = text.indexOf("@");
  if (position < 1 || text.includes("@", position + 1)) return false;
  const dot = text.indexOf(".", position + 2);
  return dot !== -1 && dot < text.length - 1;
}
