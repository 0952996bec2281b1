/**
 * The marks of the narration inside a text: `[pause 500ms]`, which the API reads itself, and a reading in braces behind its
 * word, `nginx{engine x}`, which is sent as SSML. Pure.
 */

const READING = /(?<![^\s{}[\]])([^\s{}[\]]{1,200})\{([^{}\n]{1,300})\}/g;
const PAUSE = /\[(?:pause|silent)[ :](\d+(?:\.\d{1,3})?)(ms|s)\]/g;

export const PAUSES_MS = [300, 500, 1000, 2000];
export const pauseMark = (ms: number): string => ` [pause ${ms}ms] `;

/** What the API is asked to speak. */
export function spokenText(text: string): string {
  if (text.search(READING) < 0) return text;
  const ssml = escaped(text)
    .replace(
      READING,
      (_, word: string, reading: string) => `<sub alias="${reading.replaceAll('"', "&quot;")}">${word}</sub>`,
    )
    .replace(PAUSE, (_, amount: string, unit: string) => `<break time="${amount}${unit}"/>`);
  return `<speak>${ssml}</speak>`;
}

/** What a reader sees of it. */
export const readText = (text: string): string =>
  text.replace(READING, "$1").replace(PAUSE, "").replace(/ {2,}/g, " ").trim();

const escaped = (text: string): string =>
  text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;");
