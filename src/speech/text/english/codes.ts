/** What is read as a code, not as a quantity: versions, addresses of machines, hexadecimal digits, model numbers. */
import { cardinal, characters, pairs } from "../lexicon/numbers.ts";
import type { Rule } from "../lexicon/rule.ts";

/** Products whose versions look like decimals: 3.10 is "three point ten". */
const VERSIONED =
  "Android|Angular|Bluetooth|Bun|CUDA|Chrome|Claude|CSS|Debian|Deno|Django|Docker|Elixir|Firefox|Gemini|Go|Gradle|HTTP|Java|Kotlin|Kubernetes|Laravel|Linux|Llama|macOS|MySQL|Next\\.js|Node|Node\\.js|npm|NumPy|PHP|Perl|PostgreSQL|Postgres|PyTorch|Python|Rails|React|Redis|Ruby|Rust|SQLite|Safari|Swift|TLS|TensorFlow|TypeScript|USB|Ubuntu|Vue|Windows|Xcode|iOS|iPadOS|kernel|release|version|Version";

/** "12" -> "twelve", "04" -> "oh four", "x" -> "x". */
const part = (text: string) =>
  /^\d\d?$/.test(text) ? pairs(text.length === 1 ? text : text) : /^\d/.test(text) ? cardinal(text) : text;

const readParts = (version: string) => version.split(".").map(part).join(" point ");

/** "-beta.2" -> " beta two". */
function readStage(stage: string | undefined): string {
  if (!stage) return "";
  const [, name, number] = /([a-z]{1,8})[-.]?(\d{0,4})/i.exec(stage)!;
  const result = name === "rc" || name === "RC" ? "RC" : name!;
  return ` ${result}${number ? ` ${cardinal(number)}` : ""}`;
}

const HEX_WORD = "[0-9a-f]{4}";

/** Before names of files and hashtags, which look alike. */
export const CODES_IN_NAMES: Rule[] = [
  {
    name: "version of a product",
    what: "Behind the name of a product, the parts of a version are whole numbers.",
    example: ["Python 3.10, Ubuntu 22.04", "Python three point ten, Ubuntu twenty-two point oh four"],
    pattern: new RegExp(
      `\\b(${VERSIONED})[ /]v?(\\d{1,4}\\.\\d{1,3})(?!\\w|[.,]\\d| ?%| (?:million|billion|percent))`,
      "g",
    ),
    read: ([, name, version]) => `${name} ${readParts(version!)}`,
  },
  {
    name: "color",
    what: "Three or six hexadecimal digits behind a number sign are a color, unless they are all decimal or a word.",
    example: ["#ff00aa, #FFF", "hash F F zero zero A A, hash F F F"],
    pattern:
      /(?<![\w&])#(?!\d{1,8}\b)((?=[0-9a-f]{0,5}\d)[0-9a-f]{6}|(?=[0-9a-f]{0,2}\d)[0-9a-f]{3}|([a-f])\2{2}(?:\2{3})?)\b/gi,
    read: ([, digits]) => `hash ${characters(digits!)}`,
  },
];

export const CODES: Rule[] = [
  {
    name: "UUID",
    what: "Its characters are read one by one, with a pause between groups.",
    example: [
      "0f1e2d3c-0000-4000-8000-00000000000a",
      "zero F one E two D three C, zero zero zero zero, four zero zero zero, eight zero zero zero, zero zero zero zero zero zero zero zero zero zero zero A",
    ],
    pattern: new RegExp(`\\b[0-9a-f]{8}(?:-${HEX_WORD}){3}-[0-9a-f]{12}\\b`, "gi"),
    read: ([text]) => text.split("-").map(characters).join(", "),
  },
  {
    name: "IPv4 address",
    what: "Four numbers with stops are an address, with its port or prefix.",
    example: ["192.168.1.1:8080", "one ninety-two dot one sixty-eight dot one dot one port eighty eighty"],
    pattern: /(?<![\w.])(\d{1,3}(?:\.\d{1,3}){3})(?::(\d{2,5})|\/(\d{1,2}))?(?!\w|\.\d)/g,
    read: ([, address, port, prefix]) =>
      `${address!.split(".").map(pairs).join(" dot ")}${port ? ` port ${pairs(port)}` : ""}${prefix ? ` slash ${cardinal(prefix)}` : ""}`,
  },
  {
    name: "IPv6 or hardware address",
    what: "Hexadecimal digits with colons are read one by one.",
    example: ["2001:db8::1", "two zero zero one colon D B eight colon colon one"],
    pattern:
      /(?<![\w.:])(?=[0-9a-f:]{0,40}(?:[a-f]|::))(?:[0-9a-f]{1,4}(?::{1,2}[0-9a-f]{1,4}){1,7}|::[0-9a-f]{1,4})(?![\w:])/gi,
    read: ([text]) =>
      /:.*:/.test(text)
        ? text.replace(/[0-9a-f]{1,4}|:/gi, (each) => ` ${each === ":" ? "colon" : characters(each)}`)
        : text,
  },
  {
    name: "port",
    what: "A number behind localhost and a colon is its port.",
    example: ["localhost:3000", "localhost port 3000"],
    pattern: /\blocalhost:(?=\d{2,5}\b)/g,
    read: () => "localhost port ",
  },
  {
    name: "hexadecimal number",
    what: "The digits behind 0x are read one by one.",
    example: ["0xFF", "zero x F F"],
    pattern: /\b0x([0-9a-f]{1,64})\b/gi,
    read: ([, digits]) => `zero x ${characters(digits!)}`,
  },
  {
    name: "hash",
    what: "Seven hexadecimal digits or more, letters among them, are read one by one.",
    example: ["commit d14f9a7", "commit D one four F nine A seven"],
    pattern: /(?<![\w.#/-])(?=[a-f]{0,6}\d)(?=\d{0,6}[a-f])(?!\d{1,6}e\d{1,3}\b)[0-9a-f]{7,64}(?![\w-])/g,
    read: ([text]) => characters(text),
  },
  {
    name: "version",
    what: "Three numbers with stops or more, or a v and a number, are a version.",
    example: [
      "v1.2.3, 1.2.3-beta.2, v2",
      "version one point two point three, one point two point three beta two, version two",
    ],
    pattern:
      /(?<![\w.])(?:([vV])(\d{1,4}(?:\.(?:\d{1,6}|x)){0,5})|(\d{1,6}(?:\.\d{1,6}){2,5}(?:\.x)?|\d{1,4}\.x))([-+.]?(?:alpha|beta|rc|RC|dev|preview|pre)[-.]?\d{0,4})?(?!\w|\.\d)/g,
    read: ([, v, named, bare, stage]) =>
      `${v ? "version " : ""}${readParts((named ?? bare)!)}${readStage(stage)}`,
  },
  {
    name: "version of a protocol",
    what: "A number behind HTTP and a slash is its version.",
    example: ["HTTP/2", "HTTP two"],
    pattern: /\bHTTP\/(\d)\b/g,
    read: ([, digit]) => `HTTP ${cardinal(digit!)}`,
  },
  {
    name: "802.11",
    what: "The name of the standard of wireless networks is read in pairs.",
    example: ["802.11ax", "eight oh two dot eleven ax"],
    pattern: /(?<![\w.])802\.(\d{1,2})(?=[a-z]{0,2}\b)/g,
    read: ([, number]) => `eight oh two dot ${pairs(number!)} `,
  },
];

/** Before ranges and letters for thousands. */
export const NUMBERED_NAMES: Rule[] = [
  {
    name: "numbered place or product",
    what: 'Three or four digits behind words such as "Boeing", "Room" or "Flight" are read in pairs.',
    example: ["Boeing 747, Room 101", "Boeing seven forty-seven, Room one oh one"],
    pattern:
      /\b(Boeing|Airbus|Porsche|Peugeot|Flight|flight|Room|room|Route|Highway|Interstate|Suite|Channel|Area|Building|Bus|Gate|Apollo|Error|error|Ferrari|Nokia|Windows|Intel|Pixel|Bugatti|Volvo|BMW) (\d{3,4})(?!\w|[.,]\d)/g,
    read: ([, name, digits]) => `${name} ${pairs(digits!)}`,
  },
];

/** After everything that knows what its digits are. */
export const MODEL_NUMBERS: Rule[] = [
  {
    name: "model number",
    what: "Three or four digits joined to capitals, or four behind an acronym, are read in pairs.",
    example: ["A320, SHA-256, RTX 4090", "A three twenty, SHA-two fifty-six, RTX forty ninety"],
    pattern:
      /(?<![\w-])([A-Z]{1,6})(-?)(\d{3,4})(?!\d|[.,]\d)(?=[A-Za-z]{0,2}\b)|(?<![\w-])([A-Z]{2,6}) (\d{4})(?!\w|[.,]\d)/g,
    read: ([, letters, hyphen, digits, name, number]) =>
      name ? `${name} ${pairs(number!)}` : `${letters}${hyphen || " "}${pairs(digits!)}`,
  },
  {
    name: "standard with a stop",
    what: "Three digits behind a capital and a stop are read in pairs.",
    example: ["H.264", "H two sixty-four"],
    pattern: /(?<![\w.])([A-Z])\.(\d{3})(?![\w.])/g,
    read: ([, letter, digits]) => `${letter} ${pairs(digits!)}`,
  },
  {
    name: "screen resolution",
    what: "Three or four digits with a p are the lines of a picture.",
    example: ["1080p, 720p60", "ten eighty p, seven twenty p 60"],
    pattern: /(?<![\w.])(\d{3,4})([pi])(?=\d{2}\b|\b)/g,
    read: ([, digits, letter]) => `${pairs(digits!)} ${letter} `,
  },
  {
    name: "letters beside digits",
    what: "A letter and a digit that touch are apart; a single letter behind a digit is a capital.",
    example: ["MP3, 4o, B2B", "MP 3, 4 O, B 2 B"],
    pattern: /(?<=[A-Za-z])(?=\d)|(?<=\d)(?!(?:st|nd|rd|th|s)\b)([a-z](?![\p{L}\p{N}'])|(?=[A-Za-z]))/gu,
    read: ([, letter]) => ` ${letter?.toUpperCase() ?? ""}`,
  },
];
