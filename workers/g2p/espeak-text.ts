/**
 * Text for eSpeak NG, which reads the digits of its languages itself but drops or misreads signs around them: each is put
 * into the language's own words, where eSpeak NG has none.
 *
 *   fr "-5"  ->  "moins 5"      es "1 000 000"  ->  "1000000"      ru "20 °C"  ->  "20 градусов Цельсия"      "$5"  ->  "5 $"
 *
 * What each language lacks was found by listening to the phonemes of every sign; a language that is absent lacks nothing.
 */
import { primaryLanguage } from "../../src/language-tag.ts";

type Signs = {
  minus?: string;
  percent?: string;
  euro?: string;
  /** Degrees Celsius. */
  celsius?: string;
  /** Of km/h, km, kg, cm, mm and m, in this order. */
  units?: string[];
  /** The currency of the country, by its sign. */
  currency?: [sign: string, name: string];
};

const SIGNS: Record<string, Signs> = {
  ar: { minus: "ناقص", percent: "بالمئة", celsius: "درجة مئوية" },
  bg: { minus: "минус", euro: "евро", celsius: "градуса Целзий" },
  ca: { minus: "menys", celsius: "graus Celsius" },
  cs: { celsius: "stupňů Celsia" },
  cy: { minus: "minws", percent: "y cant", euro: "ewro" },
  da: { minus: "minus", celsius: "grader celsius" },
  de: {
    celsius: "Grad Celsius",
    units: ["Kilometer pro Stunde", "Kilometer", "Kilogramm", "Zentimeter", "Millimeter", "Meter"],
  },
  el: { euro: "ευρώ", celsius: "βαθμούς Κελσίου" },
  es: {
    minus: "menos",
    celsius: "grados Celsius",
    units: ["kilómetros por hora", "kilómetros", "kilogramos", "centímetros", "milímetros", "metros"],
  },
  et: { celsius: "kraadi" },
  eu: { minus: "minus", percent: "ehuneko", euro: "euro", celsius: "gradu Celsius" },
  fa: { minus: "منفی", euro: "یورو", celsius: "درجه سانتی‌گراد" },
  fi: { celsius: "astetta" },
  fr: {
    minus: "moins",
    celsius: "degrés Celsius",
    units: ["kilomètres à l'heure", "kilomètres", "kilogrammes", "centimètres", "millimètres", "mètres"],
  },
  he: { minus: "מינוס", percent: "אחוז", euro: "אירו", celsius: "מעלות צלזיוס" },
  hi: {
    minus: "माइनस",
    euro: "यूरो",
    celsius: "डिग्री सेल्सियस",
    units: ["किलोमीटर प्रति घंटा", "किलोमीटर", "किलोग्राम", "सेंटीमीटर", "मिलीमीटर", "मीटर"],
    currency: ["₹", "रुपये"],
  },
  hr: { celsius: "stupnjeva Celzija" },
  hu: { celsius: "Celsius-fok" },
  id: { euro: "euro", celsius: "derajat Celsius" },
  is: { minus: "mínus", percent: "prósent", euro: "evrur", celsius: "gráður" },
  it: {
    celsius: "gradi Celsius",
    units: ["chilometri all'ora", "chilometri", "chilogrammi", "centimetri", "millimetri", "metri"],
  },
  ka: { minus: "მინუს", euro: "ევრო", celsius: "გრადუსი" },
  kk: { minus: "минус", percent: "пайыз", euro: "еуро", celsius: "градус" },
  lb: { percent: "Prozent", celsius: "Grad Celsius" },
  lt: { celsius: "laipsnių Celsijaus" },
  lv: { celsius: "grādi pēc Celsija" },
  ml: { minus: "മൈനസ്", euro: "യൂറോ", celsius: "ഡിഗ്രി സെൽഷ്യസ്" },
  nb: { euro: "euro", celsius: "grader celsius" },
  ne: { euro: "युरो", celsius: "डिग्री सेल्सियस" },
  nl: { celsius: "graden Celsius" },
  pl: { minus: "minus", euro: "euro", celsius: "stopni Celsjusza" },
  pt: {
    celsius: "graus Celsius",
    units: ["quilômetros por hora", "quilômetros", "quilogramas", "centímetros", "milímetros", "metros"],
  },
  ro: { celsius: "grade Celsius" },
  ru: {
    minus: "минус",
    euro: "евро",
    celsius: "градусов Цельсия",
    units: ["километров в час", "километров", "килограммов", "сантиметров", "миллиметров", "метров"],
    currency: ["₽", "рублей"],
  },
  sk: { minus: "mínus", celsius: "stupňov Celzia" },
  sl: { minus: "minus", euro: "evrov", celsius: "stopinj Celzija" },
  sq: { minus: "minus", celsius: "gradë Celsius" },
  sv: { celsius: "grader Celsius" },
  sw: { minus: "hasi", euro: "yuro", celsius: "nyuzi za selsiasi" },
  te: { minus: "మైనస్", euro: "యూరో", celsius: "డిగ్రీల సెల్సియస్" },
  tr: { minus: "eksi", celsius: "derece", currency: ["₺", "lira"] },
  uk: { euro: "євро", celsius: "градусів Цельсія", currency: ["₴", "гривень"] },
  vi: { euro: "ơ rô", celsius: "độ C" },
};

const UNITS = ["km\\/h|км\\/ч", "km|км", "kg|кг", "cm|см", "mm|мм", "m|м"];

/** Languages in which eSpeak NG reads the colon of a time as a word. */
const COLON_READ = new Set(["fa", "hr", "uk"]);

/** German months and the like are capitalized, which eSpeak NG takes for a new sentence behind an ordinal. */
const AFTER_ORDINAL =
  /(?<=(?<!\d)\d{1,2}\. )(?:Januar|Februar|März|April|Mai|Juni|Juli|August|September|Oktober|November|Dezember|Jahrhundert|Klasse|Platz|Stock|Tag|Mal|Weltkrieg|Liga|Runde|Kapitel)/gu;

/** `language` is a tag or eSpeak NG's name of a language; anything without digits is returned as it is. */
export function espeakText(text: string, language: string): string {
  if (!/\d/.test(text)) return text;
  const primary = primaryLanguage(language);
  const name = primary === "no" ? "nb" : primary;
  const { minus, percent, euro, celsius, units = [], currency } = SIGNS[name] ?? {};
  let read = text
    .replace(/(?<![\d.,])\d{1,3}(?:[ \u00A0\u202F'’]\d{3}){1,6}(?!\d)/g, (digits) =>
      digits.replace(/\D/g, ""),
    )
    .replace(/([$€£₽₹₺₴])\s?(\d+(?:[.,]\d+)*)/g, "$2 $1");
  const replace = (pattern: RegExp, word: string | undefined) => {
    if (word !== undefined) read = read.replace(pattern, word);
  };
  replace(/(?<![\p{L}\p{N}.,])[-−–](?=\d)/gu, minus && `${minus} `);
  replace(/(?<=\d)\s?%/g, percent && ` ${percent}`);
  replace(/(?<=\d)\s?€/g, euro && ` ${euro}`);
  replace(/(?<=\d)\s?(?:°\s?C\b|℃)/g, celsius && ` ${celsius}`);
  for (const [index, unit] of units.entries())
    replace(new RegExp(`(?<=\\d)\\s?(?:${UNITS[index]})(?![\\p{L}\\p{N}/²³])`, "gu"), ` ${unit}`);
  if (currency) replace(new RegExp(`(?<=\\d)\\s?${currency[0]}`, "g"), ` ${currency[1]}`);
  if (COLON_READ.has(name)) replace(/(?<=\d):(?=\d\d)/g, " ");
  if (name === "de") read = read.replace(AFTER_ORDINAL, (word) => word.toLowerCase());
  if (name === "ne") read = read.replace(/\d/g, (digit) => String.fromCodePoint(0x966 + Number(digit)));
  return read;
}
