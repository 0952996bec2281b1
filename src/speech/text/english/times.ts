/** Times of day, time zones and durations. */
import { cardinal, pairs, quantity } from "../lexicon/numbers.ts";
import type { Rule } from "../lexicon/rule.ts";

/** What continues a sentence behind "p.m.": a zone, a day or a month. Any other capital begins a new one. */
const CONTINUES =
  "Eastern|Central|Mountain|Pacific|Atlantic|UTC|GMT|[ECMP][SD]?T|BST|CES?T|IST|JST|Mon|Tue|Wed|Thu|Fri|Sat|Sun|Jan|Feb|Mar|Apr|May|Jun|Jul|Aug|Sep|Oct|Nov|Dec";
const ENDS = `["')\\]]{0,2}(?: {0,3}(?![^\\n])| {1,3}["'(]{0,2}(?!${CONTINUES})[A-Z])`;
/** a.m. or p.m.: its letter, and a group for where its stop also ends the sentence. */
const HALF = ` ?([AaPp])\\.?[Mm](?!\\w)(?:\\.(?:(?=(${ENDS}))|))?`;

const halfOf = (letter: string | undefined, ends: string | undefined) =>
  letter === undefined ? "" : ` ${letter.toUpperCase()}M${ends === undefined ? "" : "."}`;

/** "01", "hour" -> "one hour". */
export const plural = (digits: string, word: string) =>
  `${cardinal(String(Number(digits)))} ${word}${Number(digits) === 1 ? "" : "s"}`;

/** `half` is empty, or " AM" or " PM". */
export function readTime(hours: string, minutes: string, half: string): string {
  if (`${hours}${minutes}${half}` === "0000") return "midnight";
  const hour = Number(hours);
  const result = cardinal(String(hour));
  if (minutes !== "00") return `${result} ${pairs(minutes)}${half}`;
  if (half !== "" || hour === 0) return `${result}${half || " hundred"}`;
  return hour <= 12 ? `${result} o'clock` : `${result} hundred`;
}

/** Without the parts that are zero or missing. */
export function readDuration(parts: [digits: string | undefined, word: string][]): string {
  const result = parts.flatMap(([digits, word]) => (Number(digits ?? 0) > 0 ? [plural(digits!, word)] : []));
  return result.length === 0
    ? "zero seconds"
    : `${result.slice(0, -1).join(", ")}${result.length > 1 ? " and " : ""}${result.at(-1)}`;
}

/** In the order in which they apply. */
export const TIMES: Rule[] = [
  {
    name: "range of times",
    what: 'A dash between two times is "to".',
    example: ["9-11am, 9:00–17:00, 9am-5pm", "9 to 11am, 9:00 to 17:00, 9am to 5pm"],
    pattern:
      /(?<![\w.:/-])(\d{1,2}(?::\d\d)?(?: ?[ap]\.?m\.?)?) ?[-–] ?(?=\d{1,2}(?::\d\d(?!\d)| ?[ap]\.?m(?!\w)))/gi,
    read: ([, from]) => `${from} to `,
  },
  {
    name: "offset from UTC",
    what: "Hours behind or ahead of UTC are minus or plus.",
    example: ["UTC+5:30, GMT-3", "UTC plus five thirty, GMT minus three"],
    pattern: /\b(UTC|GMT) ?([+−–-]) ?(\d{1,2})(?::?([0-5]\d))?(?!\w)/g,
    read: ([, zone, sign, hours, minutes]) =>
      `${zone} ${sign === "+" ? "plus" : "minus"} ${cardinal(String(Number(hours)))}${minutes && minutes !== "00" ? ` ${pairs(minutes)}` : ""}`,
  },
  {
    name: "time with seconds",
    what: "A two-digit hour with minutes and seconds is a time of day; so is one with a.m. or p.m.",
    example: ["at 10:20:30", "at ten twenty and thirty seconds"],
    pattern: new RegExp(
      `(?<![\\w.:-])(1\\d|2[0-3]|0[1-9]|[1-9](?=:\\d\\d:\\d\\d ?[AaPp]\\.?[Mm])):([0-5]\\d):([0-5]\\d)(?![\\d:]|\\.\\d)(?:${HALF})?`,
      "g",
    ),
    read: ([, hours, minutes, seconds, letter, ends]) => {
      const time = readTime(hours!, minutes!, seconds === "00" ? halfOf(letter, ends) : "");
      return seconds === "00" ? time : `${time} and ${plural(seconds!, "second")}${halfOf(letter, ends)}`;
    },
  },
  {
    name: "clock duration",
    what: "Hours, minutes and seconds with a one-digit hour, or with zero hours, are a duration.",
    example: ["1:30:00 or 00:15:30", "one hour and thirty minutes or fifteen minutes and thirty seconds"],
    pattern: /(?<![\w.:-])(\d{1,3}):([0-5]\d):([0-5]\d)(?:\.(\d{1,6}))?(?![\d:])/g,
    read: ([, hours, minutes, seconds, part]) => {
      if (!part)
        return readDuration([
          [hours, "hour"],
          [minutes, "minute"],
          [seconds, "second"],
        ]);
      const exact = `${quantity(`${Number(seconds)}.${part}`)} seconds`;
      const rest = readDuration([
        [hours, "hour"],
        [minutes, "minute"],
      ]);
      return Number(hours) + Number(minutes) === 0 ? exact : `${rest} and ${exact}`;
    },
  },
  {
    name: "ratio",
    what: 'Two numbers with a colon that are no time are a ratio; others are one beside a word such as "ratio" or "scale".',
    example: ["16:9, a ratio of 1:10", "16 to 9, a ratio of 1 to 10"],
    pattern:
      /\b(ratio of|scale of|scale|ratio|odds of|odds are|odds) (\d{1,6}):(\d{1,6})(?![\w:])|(?<![\w.:])(\d{1,6}):(\d|\d{3,6}|[6-9]\d)(?![\w:]|\.\d)|(?<![\w.:])(\d{1,6}):(\d{1,6})(?= (?:ratio|scale|odds|aspect|model|split))/gi,
    read: ([, word, a, b, c, d, e, f]) => `${word ? `${word} ` : ""}${a ?? c ?? e} to ${b ?? d ?? f}`,
  },
  {
    name: "time",
    what: 'Hours and minutes are a time; the stop of "p.m." stays where it ends the sentence.',
    example: ["at 3:05 p.m. That was", "at three oh five PM. That was"],
    pattern: new RegExp(`(?<![\\w.:])(\\d{1,2}):([0-5]\\d)(?![\\d:]|\\.\\d)(?:${HALF})?`, "g"),
    read: ([, hours, minutes, letter, ends]) => readTime(hours!, minutes!, halfOf(letter, ends)),
  },
  {
    name: "full hour",
    what: "A number with a.m. or p.m. is an hour.",
    example: ["at 7 a.m. sharp", "at seven AM sharp"],
    pattern: new RegExp(`(?<![\\w.:])(\\d{1,2})${HALF}`, "g"),
    read: ([, hours, letter, ends]) => `${cardinal(String(Number(hours)))}${halfOf(letter, ends)}`,
  },
  {
    name: "a.m. and p.m.",
    what: "Elsewhere they lose their stops, but for one that ends the sentence.",
    example: ["in the a.m. He left", "in the AM. He left"],
    pattern: new RegExp(`(?<![\\w.])([ap])\\.m\\.(?:(?=(${ENDS}))|)`, "g"),
    read: ([, letter, ends]) => halfOf(letter, ends).trimStart(),
  },
  {
    name: "duration in letters",
    what: "Numbers with h, m and s in one piece are hours, minutes and seconds.",
    example: [
      "2h30m, 1h 5min, 4m20s",
      "two hours and thirty minutes, one hour and five minutes, four minutes and twenty seconds",
    ],
    pattern:
      /(?<![\w.])(?:(?:(\d{1,3}) ?h(?:rs?|ours?)? ?)?(\d{1,3}) ?m(?:ins?)?(?: ?(\d{1,2}) ?s(?:ecs?)?)?|(\d{1,3})h([0-5]\d))(?!\w|\/|²|³)/g,
    read: ([text, hours, minutes, seconds, whole, rest]) =>
      whole || hours || seconds
        ? readDuration([
            [whole ?? hours, "hour"],
            [rest ?? minutes, "minute"],
            [seconds, "second"],
          ])
        : text,
  },
  {
    name: "military time",
    what: 'Four digits with a leading zero before "hours" are a time.',
    example: ["0800 hours, 0730 hours", "oh eight hundred hours, oh seven thirty hours"],
    pattern: /(?<![\w.])0(\d)([0-5]\d)(?= ?(?:hours|hrs)\b)/g,
    read: ([, hour, minutes]) => `oh ${cardinal(hour!)} ${minutes === "00" ? "hundred" : pairs(minutes!)}`,
  },
];
