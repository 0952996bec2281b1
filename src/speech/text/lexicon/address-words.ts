/** How the marks of web and e-mail addresses are said, by language. */

const NAMES = ["dot", "slash", "at", "dash", "underscore", "colon", "plus", "hash"] as const;

/** In the order of `NAMES`. */
const WORDS: Record<string, string[]> = {
  en: ["dot", "slash", "at", "dash", "underscore", "colon", "plus", "hash"],
  de: ["Punkt", "Schrägstrich", "at", "Bindestrich", "Unterstrich", "Doppelpunkt", "plus", "Raute"],
  es: ["punto", "barra", "arroba", "guion", "guion bajo", "dos puntos", "más", "almohadilla"],
  fr: ["point", "slash", "arobase", "tiret", "tiret bas", "deux-points", "plus", "dièse"],
  it: ["punto", "barra", "chiocciola", "trattino", "trattino basso", "due punti", "più", "cancelletto"],
  pt: ["ponto", "barra", "arroba", "hífen", "sublinhado", "dois pontos", "mais", "cerquilha"],
  nl: ["punt", "slash", "apenstaartje", "streepje", "liggend streepje", "dubbelepunt", "plus", "hekje"],
  sv: ["punkt", "snedstreck", "snabel-a", "bindestreck", "understreck", "kolon", "plus", "hashtag"],
  pl: ["kropka", "ukośnik", "małpa", "myślnik", "podkreślnik", "dwukropek", "plus", "krzyżyk"],
  ru: ["точка", "слэш", "собака", "дефис", "подчёркивание", "двоеточие", "плюс", "решётка"],
  uk: ["крапка", "слеш", "собака", "дефіс", "підкреслення", "двокрапка", "плюс", "решітка"],
  tr: ["nokta", "eğik çizgi", "et", "tire", "alt çizgi", "iki nokta", "artı", "kare"],
  hi: ["डॉट", "स्लैश", "ऐट", "डैश", "अंडरस्कोर", "कोलन", "प्लस", "हैश"],
  ja: ["ドット", "スラッシュ", "アットマーク", "ハイフン", "アンダーバー", "コロン", "プラス", "シャープ"],
  ko: ["점", "슬래시", "골뱅이", "하이픈", "밑줄", "콜론", "플러스", "샵"],
  zh: ["点", "斜杠", "艾特", "横杠", "下划线", "冒号", "加号", "井号"],
};

const MARKS: Record<string, (typeof NAMES)[number]> = {
  ".": "dot",
  "/": "slash",
  "@": "at",
  "-": "dash",
  _: "underscore",
  ":": "colon",
  "+": "plus",
  "#": "hash",
};

/** The marks as words; text of a language that is not in the table stays. */
export function sayMarks(text: string, language: string): string {
  const words = Object.hasOwn(WORDS, language) ? WORDS[language]! : null;
  if (words === null) return text;
  return text.replace(/[./@_:+#-]/g, (mark) => ` ${words[NAMES.indexOf(MARKS[mark]!)]} `);
}
