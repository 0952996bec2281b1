/** Words that the rules of `english-rules.ts` replace or recognize. */

export const MONTHS =
  "January February March April May June July August September October November December".split(" ");
/** One, several, and the name of a hundredth. */
export const CURRENCIES: Record<string, [string, string, string]> = {
  $: ["dollar", "dollars", "cent"],
  "£": ["pound", "pounds", "penny"],
  "€": ["euro", "euros", "cent"],
  "¥": ["yen", "yen", "sen"],
  "₹": ["rupee", "rupees", "paisa"],
};
export const MULTIPLES: Record<string, string> = {
  k: "thousand",
  m: "million",
  bn: "billion",
  b: "billion",
  tn: "trillion",
};
/** One and several. */
export const UNITS: Record<string, [string, string]> = {
  km: ["kilometer", "kilometers"],
  m: ["meter", "meters"],
  cm: ["centimeter", "centimeters"],
  mm: ["millimeter", "millimeters"],
  kg: ["kilogram", "kilograms"],
  g: ["gram", "grams"],
  mg: ["milligram", "milligrams"],
  lb: ["pound", "pounds"],
  lbs: ["pound", "pounds"],
  oz: ["ounce", "ounces"],
  ft: ["foot", "feet"],
  mi: ["mile", "miles"],
  mph: ["mile per hour", "miles per hour"],
  "km/h": ["kilometer per hour", "kilometers per hour"],
  ml: ["milliliter", "milliliters"],
  l: ["liter", "liters"],
  ms: ["millisecond", "milliseconds"],
  hz: ["hertz", "hertz"],
  khz: ["kilohertz", "kilohertz"],
  mhz: ["megahertz", "megahertz"],
  ghz: ["gigahertz", "gigahertz"],
  kb: ["kilobyte", "kilobytes"],
  mb: ["megabyte", "megabytes"],
  gb: ["gigabyte", "gigabytes"],
  tb: ["terabyte", "terabytes"],
  kw: ["kilowatt", "kilowatts"],
};
export const TITLES: Record<string, string> = {
  Dr: "Doctor",
  Mr: "Mister",
  Mrs: "Missus",
  Ms: "Miz",
  Prof: "Professor",
  Gen: "General",
  Sgt: "Sergeant",
  Capt: "Captain",
  Lt: "Lieutenant",
  Rev: "Reverend",
  Sen: "Senator",
  Gov: "Governor",
  Hon: "Honorable",
};
export const ABBREVIATIONS: Record<string, string> = {
  "e.g.": "for example",
  "i.e.": "that is",
  "etc.": "et cetera",
  "vs.": "versus",
  "approx.": "approximately",
  "dept.": "department",
  "est.": "established",
  "jr.": "junior",
  "sr.": "senior",
  "ave.": "avenue",
  "blvd.": "boulevard",
  "mt.": "mount",
  "w/o": "without",
};
/** Names that Roman numerals follow as ordinals. */
export const RULERS =
  "Henry|Edward|George|Charles|William|Louis|Elizabeth|Richard|James|Philip|Pius|Paul|Benedict|John|Francis|Napoleon|Frederick|Nicholas|Peter|Catherine|Alexander|Leo|Gregory";
/** What Roman numerals count: parts of works, wars, and the like. */
export const NUMBERED = "Chapter|Part|Act|Scene|Book|Volume|Section|War|Phase|Type|Class|Title|Bowl|Appendix";
