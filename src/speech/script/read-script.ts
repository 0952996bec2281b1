/**
 * A caller's text as a script: as SSML where it begins with <speak>, otherwise as plain text with marks of pauses, as several
 * services have them: `[pause 300ms]`, `[pause:1.5s]`, `[silent 1s]`. Anything else in brackets is text.
 *
 * Of SSML a small part is read, in one pass over the text:
 *
 *   speak   p   s   break(time, strength)   prosody(rate)   sub(alias)   phoneme(alphabet, ph)   say-as
 *
 * Everything else is refused: other elements and attributes, comments, declarations, entities but XML's own five and numbers.
 * Nothing is expanded, so what is read is about as long as what was sent.
 */

import type { ScriptPart } from "../../engine/protocol/plan.ts";
import { signOf, valueSignOf } from "../../engine/protocol/signs.ts";
import { markedValue, spelledOut } from "./say-as.ts";
import {
  checkSilence,
  type MarkedValue,
  type Pronounced,
  type Script,
  sliceOf,
  TracedBuilder,
  wrongInput,
} from "./script.ts";
import { type Attributes, readTag, type Tag, XML_ENTITIES } from "./ssml-tag.ts";

/** Throws a refusal of `input` where its marks are wrong or too many. */
export const readScript = (input: string): Script =>
  isSsml(input) ? scriptOfSsml(input) : scriptOfText(input);

const MARK = /\[(?:pause|silent|silence)(?: ?[:=] ?| )(\d{1,6}(?:\.\d{1,3})?|\.\d{1,3}) ?(ms|s)\]/gi;

function scriptOfText(text: string): Script {
  const parts: ScriptPart[] = [];
  let at = 0;
  const add = (to: number) => {
    if (text.slice(at, to).trim() !== "") parts.push({ text: sliceOf(text, at, to), rate: 1 });
  };
  for (const { 0: mark, 1: length, 2: unit, index } of text.matchAll(MARK)) {
    add(index);
    parts.push({ silenceMs: Number(length) * (unit!.toLowerCase() === "s" ? 1000 : 1) });
    at = index + mark.length;
  }
  add(text.length);
  checkSilence(parts);
  const visible = text.replace(MARK, (mark) => " ".repeat(mark.length));
  return { parts, pronounced: [], values: [], visible };
}

const DEPTH_MAX = 8;
const ELEMENTS_MAX = 500;
const PRONUNCIATIONS_MAX = 200;
const ENTITY = /&(?:(amp|lt|gt|quot|apos)|#(\d{1,7})|#x([0-9a-fA-F]{1,6}));/y;

/** The attributes of each element; those of `speak` have no effect. */
const ELEMENTS: Record<string, readonly string[]> = {
  speak: ["version", "xmlns", "xml:lang"],
  p: [],
  s: [],
  break: ["time", "strength"],
  prosody: ["rate"],
  sub: ["alias"],
  phoneme: ["alphabet", "ph"],
  "say-as": ["interpret-as", "format", "detail", "language"],
};
/** What holds text and no element. */
const LEAVES = new Set(["break", "sub", "phoneme", "say-as"]);
const ENDS: Record<string, string> = { p: "\n\n", s: "\n" };

export const isSsml = (input: string): boolean => /^\s{0,100}<speak[\s>]/.test(input.slice(0, 200));

const scriptOfSsml = (input: string): Script => new SsmlReader(input).read();

/** `from` is where its content begins. */
type Open = { name: string; attributes: Attributes; rate: number; from: number };

class SsmlReader {
  readonly #input: string;
  readonly #parts: ScriptPart[] = [];
  readonly #pronounced: Pronounced[] = [];
  readonly #values: MarkedValue[] = [];
  readonly #open: Open[] = [];
  readonly #hidden: [from: number, to: number][] = [];
  #text = new TracedBuilder();
  #leaf = new TracedBuilder();
  #at = 0;
  #elements = 0;
  #isOver = false;

  constructor(input: string) {
    this.#input = input;
  }

  read(): Script {
    while (this.#at < this.#input.length) {
      if (this.#input[this.#at] === "<") this.#readTag();
      else this.#readText();
    }
    if (!this.#isOver) throw wrongInput(`has no end tag of <${this.#open.at(-1)?.name ?? "speak"}>`);
    this.#flush();
    checkSilence(this.#parts);
    const [parts, pronounced, values] = [this.#parts, this.#pronounced, this.#values];
    return { parts, pronounced, values, visible: this.#visible() };
  }

  #readTag(): void {
    const { tag, end } = readTag(this.#input, this.#at);
    this.#hidden.push([this.#at, end]);
    const start = this.#at;
    this.#at = end;
    if (tag.kind === "close") this.#close(tag.name, start);
    else this.#begin(tag);
    if (tag.kind === "empty") this.#close(tag.name, end);
  }

  #begin({ name, attributes }: Tag): void {
    if (this.#isOver) throw wrongInput("has something behind </speak>");
    const known = Object.hasOwn(ELEMENTS, name) ? ELEMENTS[name]! : null;
    if (known === null) throw wrongInput(`has the SSML element <${name}>, which is not supported`);
    for (const attribute of attributes.keys())
      if (!known.includes(attribute)) throw wrongInput(`has <${name} ${attribute}>, which is not supported`);
    const outer = this.#open.at(-1);
    if ((name === "speak") !== (outer === undefined)) throw wrongInput("has <speak> inside <speak>");
    if (outer && LEAVES.has(outer.name)) throw wrongInput(`has <${name}> inside <${outer.name}>`);
    if (++this.#elements > ELEMENTS_MAX) throw wrongInput(`has more than ${ELEMENTS_MAX} elements`);
    if (this.#open.length >= DEPTH_MAX) throw wrongInput(`has elements more than ${DEPTH_MAX} deep`);
    const rate = (outer?.rate ?? 1) * (name === "prosody" ? rateOf(attributes.get("rate")) : 1);
    if (name === "prosody") this.#flush();
    if (rate < 0.25 || rate > 4) throw wrongInput("has a prosody rate outside 25% to 400%");
    this.#open.push({ name, attributes, rate, from: this.#at });
    this.#leaf = new TracedBuilder();
    this.#text.insert(ENDS[name] ?? "", this.#at);
  }

  #close(name: string, start: number): void {
    const open = this.#open.at(-1);
    if (open?.name !== name) throw wrongInput(`has </${name}> where <${open?.name ?? "speak"}> is open`);
    if (LEAVES.has(name)) this.#endLeaf(open, start);
    if (name === "prosody") this.#flush();
    this.#text.insert(ENDS[name] ?? "", start);
    this.#open.pop();
    this.#isOver = this.#open.length === 0;
  }

  #endLeaf({ name, attributes, from }: Open, to: number): void {
    const content = this.#leaf.traced();
    if (name === "break") {
      if (content.text.trim() !== "") throw wrongInput("has text inside <break>");
      this.#flush();
      this.#parts.push({ silenceMs: silenceOf(attributes) });
    }
    if (name === "sub") this.#text.replace(attributeOf(name, attributes, "alias"), from, to);
    if (name === "say-as") this.#sayAs(attributes, from, to);
    if (name === "phoneme") this.#pronounce(content.text, attributes, { from, to });
  }

  /** A sign stands for a value until the language is known. */
  #sayAs(attributes: Attributes, from: number, to: number): void {
    const content = this.#leaf.traced();
    const kind = attributeOf("say-as", attributes, "interpret-as");
    const value = markedValue(kind, content.text, attributes);
    if (value === null) {
      this.#text.append(spelledOut(content));
      return;
    }
    this.#text.place(valueSignOf(this.#values.length), from, to);
    this.#values.push(value);
  }

  /** A sign stands for the element, so that no step before the engine reads it. */
  #pronounce(text: string, attributes: Attributes, { from, to }: { from: number; to: number }): void {
    const alphabet = attributes.get("alphabet") ?? "ipa";
    if (alphabet !== "ipa") throw wrongInput(`has <phoneme alphabet="${alphabet}">; only ipa is supported`);
    const ipa = attributeOf("phoneme", attributes, "ph");
    if (!/^[\p{L}\p{M}\p{Sk}\s.|]{1,100}$/u.test(ipa)) throw wrongInput("has a <phoneme ph> that is not IPA");
    if (this.#pronounced.length >= PRONUNCIATIONS_MAX)
      throw wrongInput(`has more than ${PRONUNCIATIONS_MAX} <phoneme>`);
    this.#text.place(signOf(this.#pronounced.length), from, to);
    this.#pronounced.push({ text: text.trim(), ipa: ipa.trim() });
  }

  #readText(): void {
    const next = this.#input.indexOf("<", this.#at);
    const end = next === -1 ? this.#input.length : next;
    if (this.#open.length === 0) {
      if (this.#input.slice(this.#at, end).trim() !== "") throw wrongInput("has text outside <speak>");
      this.#at = end;
      return;
    }
    const to = LEAVES.has(this.#open.at(-1)!.name) ? this.#leaf : this.#text;
    while (this.#at < end) {
      const mark = this.#input.indexOf("&", this.#at);
      const plainEnd = mark === -1 || mark > end ? end : mark;
      to.copy(this.#input, this.#at, plainEnd);
      this.#at = plainEnd;
      if (plainEnd < end) this.#readEntity(to);
    }
  }

  #readEntity(to: TracedBuilder): void {
    ENTITY.lastIndex = this.#at;
    const match = ENTITY.exec(this.#input);
    if (match === null) throw wrongInput("has an & that begins no entity of XML; write &amp;");
    const [entity, name, code, hex] = match;
    const point = hex === undefined ? Number(code) : Number.parseInt(hex, 16);
    if (name === undefined && point > 0x10ffff) throw wrongInput(`has ${entity}, which is no character`);
    const character = name === undefined ? String.fromCodePoint(point).toWellFormed() : XML_ENTITIES[name]!;
    to.replace(character, this.#at, this.#at + entity.length);
    this.#at += entity.length;
  }

  /** What was gathered becomes a part at the present pace. */
  #flush(): void {
    const text = this.#text.traced();
    this.#text = new TracedBuilder();
    if (text.text.trim() !== "") this.#parts.push({ text, rate: this.#open.at(-1)?.rate ?? 1 });
  }

  #visible(): string {
    const pieces: string[] = [];
    let at = 0;
    for (const [from, to] of this.#hidden) {
      pieces.push(this.#input.slice(at, from), " ".repeat(to - from));
      at = to;
    }
    return pieces.join("") + this.#input.slice(at);
  }
}

function attributeOf(name: string, attributes: Attributes, attribute: string): string {
  const value = attributes.get(attribute);
  if (value === undefined || value.trim() === "") throw wrongInput(`has <${name}> without ${attribute}`);
  return value;
}

const RATES: Record<string, number> = {
  "x-slow": 0.5,
  slow: 0.75,
  medium: 1,
  default: 1,
  fast: 1.25,
  "x-fast": 1.5,
};
const STRENGTHS: Record<string, number> = {
  none: 0,
  "x-weak": 100,
  weak: 200,
  medium: 400,
  strong: 700,
  "x-strong": 1000,
};
const LENGTH = /^(\d{1,6}(?:\.\d{1,3})?|\.\d{1,3})(ms|s)$/;

/**
 * The values of attributes of SSML: paces and lengths of silence.
 *
 * "80%", "1.2" or a word, as a factor.
 */
function rateOf(value: string | undefined): number {
  if (value === undefined) return 1;
  if (Object.hasOwn(RATES, value)) return RATES[value]!;
  const [, number, percent] = /^(\d{1,3}(?:\.\d{1,3})?)(%?)$/.exec(value) ?? [];
  const rate = Number(number) / (percent ? 100 : 1);
  if (number === undefined || rate < 0.25 || rate > 4)
    throw wrongInput(`has <prosody rate="${value}">; a rate is 25% to 400%, or a word from x-slow to x-fast`);
  return rate;
}

/** In milliseconds. */
function silenceOf(attributes: Attributes): number {
  const [time, strength = "medium"] = [attributes.get("time"), attributes.get("strength")];
  if (time === undefined && Object.hasOwn(STRENGTHS, strength)) return STRENGTHS[strength]!;
  const [, number, unit] = LENGTH.exec(time ?? "") ?? [];
  if (number === undefined)
    throw wrongInput(`has a <break> of ${time ?? strength}; write time="300ms" or a strength`);
  return Number(number) * (unit === "s" ? 1000 : 1);
}
