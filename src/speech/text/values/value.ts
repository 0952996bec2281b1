/** A part of a text whose kind the caller says, such as a date, and what reads it. */

/** `text` is trimmed. `format` is the order of a date's fields, or hms12 or hms24 of a time; null: not said. */
export type Value = { kind: string; text: string; format: string | null };

/** What is read for a value in a language, by its tag; null where the text is no such value. */
export type ReadValue = (value: Value, language: string) => string | null;
