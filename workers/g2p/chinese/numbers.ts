/**
 * Numbers in Chinese text as a speaker reads them, in characters: years and telephone numbers digit by digit, percent
 * before its number, dates, times, money, units and fractions in their own order.
 *
 *   2025年3月5日 15:30, -5℃, 50%, 3/4  ->  二零二五年三月五日 十五点三十分, 负五摄氏度, 百分之五十, 四分之三
 */

const DIGITS = "零一二三四五六七八九";
const TENS = ["", "十", "百", "千"];
const GROUPS = ["", "万", "亿", "万亿"];
const CARDINAL_MAX = 16; // digits; a longer run is no quantity

/** Digit by digit; `one` is 幺 in numbers that are dialled. */
const spelled = (digits: string, one = "一"): string =>
  [...digits].map((digit) => (digit === "1" ? one : DIGITS[Number(digit)])).join("");

/**
 * "10005" -> 一万零五; more than 16 digits, or a leading zero, digit by digit.
 *
 * @internal
 */
export function cardinal(digits: string): string {
  if (digits.length > CARDINAL_MAX || /^0\d/.test(digits)) return spelled(digits);
  const padded = digits.padStart(Math.ceil(digits.length / 4) * 4, "0");
  const groups = padded.match(/\d{4}/g)!;
  const parts = groups.map((group, index) => ({
    text: fourDigits(group),
    unit: GROUPS[groups.length - 1 - index]!,
    group,
  }));
  const text = parts.reduce((all, { text, unit, group }) => {
    if (text === "") return all;
    const gap = all !== "" && group.startsWith("0") && !all.endsWith("零") ? "零" : "";
    return `${all}${gap}${text}${unit}`;
  }, "");
  return (text || "零").replace(/^一十/, "十");
}

/** Up to 9999 without leading zeros: "0105" -> 一百零五. */
function fourDigits(group: string): string {
  return [...group]
    .reduce((reading, digit, index) => {
      if (digit !== "0") return `${reading}${DIGITS[Number(digit)]}${TENS[3 - index]}`;
      return reading === "" || reading.endsWith("零") ? reading : `${reading}零`;
    }, "")
    .replace(/零$/, "");
}

/** Whole or decimal, with separators of thousands: "1,234.50" -> 一千二百三十四点五零. */
export function quantity(number: string): string {
  const [whole = "", fraction] = number.replaceAll(",", "").split(".");
  return fraction === undefined ? cardinal(whole) : `${cardinal(whole || "0")}点${spelled(fraction)}`;
}

const signed = (sign: string | undefined, number: string) => `${sign ? "负" : ""}${quantity(number)}`;

const NUMBER = "(?<!\\d)\\d{1,16}(?:,\\d{3}){0,5}(?:\\.\\d{1,16})?"; // bounded, so that time stays linear
const MINUS = "(?:(?<![A-Za-z\\d])([-−－]))?";
const CURRENCIES: Record<string, string> = {
  "¥": "元",
  "￥": "元",
  $: "美元",
  "€": "欧元",
  "£": "英镑",
  "₩": "韩元",
};
const UNITS: Record<string, string> = {
  "km/h": "公里每小时",
  "m/s": "米每秒",
  km: "公里",
  cm: "厘米",
  mm: "毫米",
  m: "米",
  kg: "公斤",
  mg: "毫克",
  g: "克",
  ml: "毫升",
  mL: "毫升",
  L: "升",
  "m²": "平方米",
  "㎡": "平方米",
  "km²": "平方公里",
};
const SIGNS: Record<string, string> = { "+": "加", "=": "等于", "×": "乘", "÷": "除以", "≈": "约等于" };
/** Measure words before which two is 两. */
const MEASURES = "个只条本张件位次天年小秒点块杯瓶辆台家种双对倍岁米斤吨公千万亿间层名封支把套份周夜";
/** What comes before a number that is dialled or written on something, and read digit by digit. */
const DIALLED = "电话|拨打|热线|手机|号码|致电|房间|航班|尾号|车牌|邮编|验证码|密码|QQ|微信";

type Match = [all: string, ...groups: (string | undefined)[]];
type Rule = { pattern: RegExp; read: (match: Match) => string };

/**
 * In the order in which they are applied.
 *
 * @internal
 */
export const CHINESE_RULES: Rule[] = [
  // 2025-03-05, 2025/3/5, 2025.3.5
  {
    pattern: /(?<!\d)(\d{4})([-/.])(\d{1,2})\2(\d{1,2})(?!\d|\.\d)/gu,
    read: ([, year, , month, day]) =>
      `${spelled(year!)}年${cardinal(`${Number(month)}`)}月${cardinal(`${Number(day)}`)}日`,
  },
  // 2020-2025年, 2025年
  {
    pattern: /(?<!\d)(\d{4})\s{0,3}年?\s{0,3}[-~～–—至到]\s{0,3}(\d{4})\s{0,3}年/gu,
    read: ([, from, to]) => `${spelled(from!)}到${spelled(to!)}年`,
  },
  { pattern: /(?<!\d)(\d{4})\s{0,3}年/gu, read: ([, year]) => `${spelled(year!)}年` },
  // 15:30:20, 15:30; 3:2 is a score or a ratio
  {
    pattern: /(?<![\d:])(\d{1,2})[:：]([0-5]\d)(?:[:：]([0-5]\d))?(?![\d:])/gu,
    read: ([, hour, minute, second]) => time(Number(hour), minute!, second),
  },
  {
    pattern: /(?<!\d)(\d{1,16})[:：](\d{1,16})/gu,
    read: ([, left, right]) => `${cardinal(left!)}比${cardinal(right!)}`,
  },
  // numbers that are dialled: after a word that says so, with dashes, or with seven digits and more
  {
    pattern: new RegExp(
      `((?:${DIALLED})[\\p{Script=Han}]{0,2}[:：\\s]{0,3})(\\+?\\d[\\d\\- ]{0,30}\\d)`,
      "gu",
    ),
    read: ([, before, number]) => `${before}${dialled(number!)}`,
  },
  {
    pattern: /(?<![\d-])(\+?\d{2,4}[- ]\d{3,4}[- ]\d{4}|0\d{2,3}-\d{7,8})(?![\d-])/gu,
    read: ([, number]) => dialled(number!),
  },
  {
    pattern: /(?<![\d.,])(\d{7,40})(?![\d.,]|\s{0,3}[%％‰元人个美万亿吨公米次株])/gu,
    read: ([all, number]) => (/0{4}$/.test(number!) ? all : dialled(number!)),
  },
  // 50%, 5%-10%, 5-10%, -3.5%
  {
    pattern: new RegExp(
      `(${NUMBER})\\s{0,3}[%％]?\\s{0,3}[-~～–—至到]\\s{0,3}(${NUMBER})\\s{0,3}[%％]`,
      "gu",
    ),
    read: ([, from, to]) => `百分之${quantity(from!)}到百分之${quantity(to!)}`,
  },
  {
    pattern: new RegExp(`${MINUS}(${NUMBER})\\s{0,3}([%％‰])`, "gu"),
    read: ([, sign, number, mark]) =>
      `${sign ? "负" : ""}${mark === "‰" ? "千" : "百"}分之${quantity(number!)}`,
  },
  // ¥3.50, $5万
  {
    pattern: new RegExp(`([¥￥$€£₩])\\s?(${NUMBER})([万亿]{0,2})`, "gu"),
    read: ([, mark, number, unit]) => `${quantity(money(number!))}${unit}${CURRENCIES[mark!]}`,
  },
  // -5℃, 20°C, 68°F
  {
    pattern: new RegExp(`${MINUS}(${NUMBER})\\s{0,3}(?:℃|°\\s?C|(℉|°\\s?F)|°)`, "gu"),
    read: ([all, sign, number, fahrenheit]) =>
      `${signed(sign, number!)}${fahrenheit ? "华氏度" : /[C℃]/.test(all) ? "摄氏度" : "度"}`,
  },
  {
    pattern: /(?<![\d/.])(\d{1,16})[/⁄](\d{1,16})(?![\d/])/gu,
    read: ([, over, under]) => `${cardinal(under!)}分之${cardinal(over!)}`,
  },
  // 1.2.3
  {
    pattern: /(?<!\d)\d{1,16}(?:\.\d{1,16}){2,9}/gu,
    read: ([all]) => all.split(".").map(cardinal).join("点"),
  },
  {
    pattern: new RegExp(
      `(?<=\\d)\\s?(${Object.keys(UNITS)
        .sort((a, b) => b.length - a.length)
        .join("|")})(?![A-Za-z])`,
      "gu",
    ),
    read: ([, unit]) => UNITS[unit!]!,
  },
  { pattern: /(?<=\d)\s{0,3}([+=×÷≈])\s{0,3}(?=\d)/gu, read: ([, sign]) => SIGNS[sign!]! },
  // 3-5天
  { pattern: /(?<=\d)\s{0,3}[-~～–—]\s{0,3}(?=\d)/gu, read: () => "到" },
  { pattern: new RegExp(`(?<![\\d.,第十初])2(?=[${MEASURES}])(?!年代)`, "gu"), read: () => "两" },
  { pattern: /(?<![A-Za-z\d])[-−－](?=\d)/gu, read: () => "负" },
];

/**
 * The text with its numbers in characters, but for those that are only a quantity: word segmentation knows them as digits.
 * Anything else is returned unchanged.
 */
export function readChinese(text: string): string {
  const narrow = text.replace(/[０-９]/g, (digit) => String.fromCodePoint(digit.codePointAt(0)! - 0xfee0));
  return CHINESE_RULES.reduce(
    (read, { pattern, read: reading }) =>
      read.replace(pattern, (...match) => reading(match as unknown as Match)),
    narrow.replace(/[½¼¾]/g, (mark) => mark.normalize("NFKC")),
  );
}

function time(hour: number, minute: string, second: string | undefined): string {
  const hours = hour === 2 ? "两" : cardinal(`${hour}`);
  const part = (digits: string, unit: string) =>
    `${digits.startsWith("0") && digits !== "00" ? "零" : ""}${cardinal(`${Number(digits)}`)}${unit}`;
  if (second !== undefined) return `${hours}点${part(minute, "分")}${part(second, "秒")}`;
  return minute === "00" ? `${hours}点` : `${hours}点${part(minute, "分")}`;
}

/** In groups as it is written, one as 幺. */
const dialled = (number: string) =>
  number
    .replace("+", "加")
    .split(/[- ]+/)
    .map((group) => group.replace(/\d+/, (digits) => spelled(digits, "幺")))
    .join("，");

/** "3.50" -> "3.5"; "3.00" -> "3". */
function money(number: string): string {
  const [whole = "", fraction = ""] = number.split(".");
  let length = fraction.length;
  while (fraction[length - 1] === "0") length--;
  return length === 0 ? whole : `${whole}.${fraction.slice(0, length)}`;
}
