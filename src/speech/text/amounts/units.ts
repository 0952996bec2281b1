/** Measures: metric and imperial units, their squares and quotients, temperatures, angles, feet and inches. */
import { cardinal, quantity } from "../lexicon/numbers.ts";
import { anyOf, NUMBER, type Rule } from "../lexicon/rule.ts";
import { LENGTHS, PER, UNITS } from "../lexicon/unit-names.ts";
import { FRACTION, readFraction } from "./fractions.ts";

const POWERS: Record<string, string> = {
  "²": "square",
  "2": "square",
  "^2": "square",
  "³": "cubic",
  "3": "cubic",
  "^3": "cubic",
};
const POWER = "²|³|\\^?[23](?!\\d)";
const LENGTH = anyOf(Object.keys(LENGTHS));
const UNIT = `(?:(?:sq|cu)\\.? ?|square |cubic )?(?:(?:${LENGTH})(?:${POWER})|${anyOf(Object.keys(UNITS))})`;
const PER_WHAT = `(?:${anyOf(Object.keys(PER))})(?:${POWER})?`;
const AMOUNT = `${FRACTION}|${NUMBER}`;
const SIDES: Record<string, string> = { N: "north", S: "south", E: "east", W: "west" };

/** "km²" -> "square kilometer", or several. */
function nameOf(unit: string, isOne: boolean): string {
  const [, sq, cu, symbol, power] = /^(?:(sq\.? ?|square )|(cu\.? ?|cubic ))?(.+?)(²|³|\^?[23])?$/.exec(
    unit,
  )!;
  const kind = sq ? "square " : cu ? "cubic " : power ? `${POWERS[power]} ` : "";
  return kind + UNITS[symbol!]![isOne ? 0 : 1];
}

/** "m²" behind a slash -> "square meter". */
function perName(unit: string): string {
  const [, symbol, power] = /^(.+?)(²|³|\^?[23])?$/.exec(unit)!;
  const name = PER[symbol!]!;
  if (!power) return name;
  return symbol === "s" ? `${name} squared` : `${POWERS[power]} ${name}`;
}

function readAmount(amount: string, unit: string, isSingle: boolean): string {
  if (!/[/½¼¾⅐-⅞]/.test(amount)) return `${quantity(amount)} ${nameOf(unit, isSingle || amount === "1")}`;
  const isPart = !/^\d+(?: \d|[^/\d])/.test(amount);
  if (!isPart) return `${readFraction(amount)} ${nameOf(unit, isSingle)}`;
  const single = nameOf(unit, true);
  const article = /^[aeio]/.test(single) ? "an" : "a";
  return readFraction(amount) === "one half"
    ? `half ${article} ${single}`
    : `${readFraction(amount)} of ${article} ${single}`;
}

const degrees = (scale: string | undefined) =>
  ({ C: " Celsius", F: " Fahrenheit", "℃": " Celsius", "℉": " Fahrenheit" })[scale ?? ""] ?? "";

export const UNIT_RULES: Rule[] = [
  {
    name: "coordinate",
    what: "Degrees, minutes and seconds before a letter of the compass are a place.",
    example: ["40°26'46\"N", "forty degrees twenty-six minutes forty-six seconds north"],
    pattern:
      /(?<![\w.])(\d{1,3}(?:\.\d{1,8})?)° ?(?:(\d{1,2})['′] ?)?(?:(\d{1,2}(?:\.\d{1,4})?)["″] ?)?([NSEW])\b/g,
    read: ([, degrees, minutes, seconds, side]) =>
      `${quantity(degrees!)} degrees${minutes ? ` ${cardinal(minutes)} minutes` : ""}${seconds ? ` ${quantity(seconds)} seconds` : ""} ${SIDES[side!]}`,
  },
  {
    name: "temperature",
    what: "A degree sign is degrees, with the scale, or the scale alone in its own sign.",
    example: [
      "20-25°C, 98.6 °F, 90°",
      "twenty to twenty-five degrees Celsius, ninety-eight point six degrees Fahrenheit, ninety degrees",
    ],
    pattern: new RegExp(
      `(?<![\\w.])(?:(${NUMBER})°?[CF]? ?[-–] ?)?(${NUMBER}) ?(?:[°º] ?([CF]\\b)?|([℃℉]))`,
      "g",
    ),
    read: ([, from, number, scale, sign]) =>
      `${from ? `${quantity(from)} to ` : ""}${quantity(number!)} degree${number === "1" ? "" : "s"}${degrees(scale ?? sign)}`,
  },
  {
    name: "scale of temperature",
    what: "The degree sign and a scale without a number are named.",
    example: ["in °C", "in degrees Celsius"],
    pattern: /°([CF])\b/g,
    read: ([, scale]) => `degrees${degrees(scale)}`,
  },
  {
    name: "feet and inches",
    what: "A number with an apostrophe and another are feet and inches.",
    example: ["6'2\" and 5 ft 10 in", "six foot two and five feet ten inches"],
    pattern:
      /(?<![\w'.])(?:(\d{1,2})['′] ?(\d{1,2})(?:"|''|″|(?![\w']))|(\d{1,2}) ?ft\.? (\d{1,2}) ?in\b\.?)/g,
    read: ([, feet, inches, long, more]) =>
      feet
        ? `${cardinal(feet)} foot ${cardinal(inches!)}`
        : `${cardinal(long!)} ${long === "1" ? "foot" : "feet"} ${cardinal(more!)} inch${more === "1" ? "" : "es"}`,
  },
  {
    name: "size",
    what: "Numbers with an x between them are lengths and widths.",
    example: ["1920x1080, 3 x 4 m", "1920 by 1080, 3 by 4 m"],
    pattern:
      /(?<=(?<![\w.])\d{1,5}(?:\.\d{1,3})?(?: ?(?:mm|cm|m|in|ft|px))?) ?[x×] ?(?=\d{1,5}(?:\.\d{1,3})? ?(?:x|×|mm|cm|m\b|in|ft|px|[^\s\w=]|\s(?!=)|$))/g,
    read: () => " by ",
  },
  {
    name: "inches",
    what: 'A quotation mark or "in." before what has a size is inches.',
    example: ['a 27" monitor, 5 in. wide', "a twenty-seven inch monitor, five inches wide"],
    pattern: new RegExp(
      `(?<![\\w."])(${AMOUNT}) ?(?:["″](?= (?:monitor|display|screen|TV|laptop|tablet|wheel|disk|pipe|pizza))|in\\.(?= ?(?:wide|long|tall|high|deep|thick|by|x|in diameter)\\b|[,;)]|(?![^\\n])))`,
      "g",
    ),
    read: ([text, number]) => {
      const isNoun = text.endsWith('"') || text.endsWith("″");
      const result = number!.includes("/") ? readFraction(number!) : quantity(number!);
      return isNoun || number === "1" ? `${result} inch` : `${result} inches`;
    },
  },
  {
    name: "millions by m",
    what: "An m that touches its number is millions before what is counted.",
    example: ["5m users", "five million users"],
    pattern: new RegExp(
      `(?<![\\w.])(${NUMBER})m(?= (?:people|users|views|followers|subscribers|downloads|customers|members|copies|units|records|rows|tokens|parameters|params|words|jobs|homes|players|accounts|visitors|dollars|pounds|euros)\\b)`,
      "g",
    ),
    read: ([, number]) => `${quantity(number!)} million`,
  },
  {
    name: "measure",
    what: "A number and a unit, their powers and what they are per, are written out; singular before a noun.",
    example: [
      "1 km, 5-10kg, 9.8 m/s², a 16-GB card",
      "one kilometer, five to ten kilograms, nine point eight meters per second squared, a sixteen-gigabyte card",
    ],
    pattern: new RegExp(
      `(?<![\\w./-])(?:\\b([Aa]n? ))?(?:(${NUMBER}) ?[-–] ?)?(${AMOUNT})(?: ?|(-))(${UNIT})(?:/(${PER_WHAT}))?(?![\\w²³'/]|\\.\\w)(?:\\.(?= [a-z,;]))?(?:(?=( [a-z]))|)`,
      "g",
    ),
    read: ([, article, from, amount, hyphen, unit, per, noun]) => {
      const isSingle = hyphen !== undefined || (article !== undefined && noun !== undefined);
      const result = readAmount(amount!, unit!, isSingle);
      const joined = hyphen ? result.replace(/ (?=[^ ]+$)/, "-") : result;
      return `${article ?? ""}${from ? `${quantity(from)} to ` : ""}${joined}${per ? ` per ${perName(per)}` : ""}`;
    },
  },
  {
    name: "per",
    what: 'A slash before what amounts are counted by is "per".',
    example: ["ten dollars/month, 20 tokens/s", "ten dollars per month, 20 tokens per second"],
    pattern: new RegExp(
      `(?<=[\\d%]|\\b(?:dollars?|cents?|euros?|pounds?|pence|thousand|million|billion|[a-z]{2,12}s)) ?/ ?(${PER_WHAT})(?![\\w/])`,
      "g",
    ),
    read: ([, unit]) => ` per ${perName(unit!)}`,
  },
];
