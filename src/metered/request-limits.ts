/** What a request may ask for, whatever the interface. The dashboard checks the same before it sends. */

/** Of a text, in Unicode code points. */
export const CHARACTERS_MAX = 8000;
/** Of a text that becomes a job. */
export const LONG_CHARACTERS_MAX = 1_000_000;
/** Of the title of a text or of its chapter, in UTF-16 code units. A longer line of Markdown is no heading. */
export const TITLE_MAX = 300;
/** Of what was said before, and of keywords in one text. */
export const PROMPT_CHARACTERS_MAX = 4000;
/** Of a recording, as it is sent. */
export const FILE_BYTES_MAX = 25 * 1024 * 1024;
