/** Texts that voices may take long for, each about so many characters, as a caller writes them. */

const filled = (part: string, characters: number): string =>
  [...part.repeat(Math.ceil(characters / part.length))].slice(0, characters).join("");

const elements = (one: string, characters: number): string =>
  `<speak>${one.repeat(Math.max(1, Math.round(characters / one.length)))}</speak>`;

/** Of the longest phonemes that an element may name, each in place of one letter. */
const PHONEMES = `<phoneme ph="${"ˈoʊðə".repeat(20)}">a</phoneme> `;
const SPELLED = `<say-as interpret-as="characters">${"WX".repeat(100)}</say-as> `;

const RARE = {
  "Greek and Cyrillic": "Ωψξθ ЖЩЮЫ ",
  Georgian: "ღჭჰქ ",
  Han: "龘靐齉麤",
  Hangul: "뷁쀍뛟 ",
  Thai: "ฎฐฑฒ ",
  Ethiopic: "ጨጰፀ ",
  Braille: "⠿⡿⣿ ",
  "letters of mathematics": "𝔚𝕎𝓦 ",
};

export function worstTexts(characters: number): Record<string, string> {
  const of = (part: string) => filled(part, characters);
  return {
    "one endless word": of("lamoritasenupola"),
    "one endless word of consonants": of("bcdfghjklmnpqrstvwxz"),
    "digits in groups of one": of("7 "),
    "one long number": of("7364519820"),
    "numbers of 15 digits": of("777777777777777 "),
    "numbers with marks": of("-9.7% $7.77 7/9 "),
    "marks and few letters": of("!?… a; "),
    "marks only": `${of("!?.,;:…")} a`,
    "one word again and again": of("go "),
    "short sentences": of("Go. No. "),
    "all capitals": of("WHY WWW XWX "),
    "capital letters with spaces": of("W "),
    addresses: of("https://www.xwx.org/w-7/?q=77&w=7#x "),
    emoji: of("👩‍🚀🏳️‍🌈 a "),
    signs: of("§ ½ © ® ™ № ‰ & @ + = "),
    "letters spelled out": elements(SPELLED, characters),
    "phonemes of an element": elements(PHONEMES, characters),
    ...Object.fromEntries(Object.entries(RARE).map(([name, part]) => [name, of(part)])),
  };
}
