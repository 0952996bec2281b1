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

export function writePauses(text: string): string {
  return PAUSES.reduce((read, [pattern, mark]) => read.replace(pattern, mark), text);
}
