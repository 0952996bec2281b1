/**
 * Formulas of LaTeX as plain text: commands become signs and words. English says the limits of sums and what stands over what;
 * other languages get the signs, which their engines read.
 *
 *   $\int_0^1 x^2$     the integral from 0 to 1 of x^2          \frac{a}{b}     a over b          $\alpha \le 2$     α ≤ 2
 *
 * Between dollar signs, only what looks like a formula is one; amounts of money stay.
 */

const FORMULA =
  /\$\$([^$]{1,1000})\$\$|\\\[([^$]{1,1000}?)\\\]|\\\(([^$\n]{1,500}?)\\\)|(?<![\w$\\])\$(?=[^\s$])([^$\n]{1,300})(?<=[^\s\\])\$(?![\w$])|\\(?:[dt]?frac|sqrt|boxed|text|mathrm|mathbf|textbf)(?:\{[^{}\n]{1,200}\}){1,2}|\^\{?\\circ\}?/g;
const LIKE_FORMULA = /\\[A-Za-z%]|[\^_=]|^[A-Za-z](?: ?[-+*/<>] ?[\w.]{1,9}){0,9}$/;
const TOKEN = /\\([A-Za-z]+)\*?|\\(.)|([{}^_&~'])|\s+|[^\\{}^_&~'\s]/gsu;

const SIGNS: Record<string, string> = Object.fromEntries(
  "times=× cdot=× ast=× div=÷ pm=± mp=± le=≤ leq=≤ ge=≥ geq=≥ ne=≠ neq=≠ approx=≈ sim=≈ equiv=≡ infty=∞ partial=∂ in=∈ cap=∩ cup=∪ to=→ rightarrow=→ longrightarrow=→ Rightarrow=→ implies=→ leftarrow=← leftrightarrow=↔ iff=↔ therefore=∴ circ=° degree=° int=∫ sum=∑ lt=< gt=> ldots=... cdots=... dots=... lbrace=( rbrace=) alpha=α beta=β gamma=γ delta=δ epsilon=ε varepsilon=ε zeta=ζ eta=η theta=θ vartheta=θ iota=ι kappa=κ lambda=λ mu=μ nu=ν xi=ξ pi=π rho=ρ sigma=σ tau=τ upsilon=υ phi=φ varphi=φ chi=χ psi=ψ omega=ω Gamma=Γ Delta=Δ Theta=Θ Lambda=Λ Xi=Ξ Pi=Π Sigma=Σ Phi=Φ Psi=Ψ Omega=Ω"
    .split(" ")
    .map((pair) => pair.split("=") as [string, string]),
);
/** In English. */
const WORDS: Record<string, string> = {
  "∫": "the integral",
  "∑": "the sum",
  prod: "the product",
  lim: "the limit",
  forall: "for all",
  exists: "there exists",
  notin: "is not in",
  subset: "is a subset of",
  subseteq: "is a subset of",
  propto: "is proportional to",
  mapsto: "maps to",
  emptyset: "the empty set",
  land: "and",
  lor: "or",
  neg: "not",
  mid: "given",
  sin: "sine",
  cos: "cosine",
  tan: "tangent",
  ln: "natural log",
  min: "minimum",
  max: "maximum",
};
/** What takes limits. */
const LARGE = new Set(["∫", "∑", "prod", "lim", "max", "min"]);
/** Commands that only change how what follows looks. */
const SILENT = new Set(
  "left right big Big bigg Bigg displaystyle textstyle limits quad qquad text textbf textit textrm mathrm mathbf mathbb mathcal mathit mathsf operatorname boxed overline underline hat bar vec tilde dot ddot nonumber label tag".split(
    " ",
  ),
);
const RAISED: Record<string, string> = Object.fromEntries(
  [..."⁰¹²³⁴⁵⁶⁷⁸⁹"].map((raised, digit) => [String(digit), raised]),
);
const DEPTH_MAX = 20;

export const readFormulas = (text: string, isEnglish: boolean): string =>
  MAY_BE_FORMULA.test(text) ? readAllFormulas(text, isEnglish) : text;

const MAY_BE_FORMULA = /\$|\\[[(A-Za-z]/;

function readAllFormulas(text: string, isEnglish: boolean): string {
  return text.replace(FORMULA, (written, ...groups: (string | undefined)[]) => {
    const [display, bracketed, inline, dollars] = groups;
    if (dollars !== undefined && !LIKE_FORMULA.test(dollars)) return written;
    const formula = new Formula(display ?? bracketed ?? inline ?? dollars ?? written, isEnglish);
    return ` ${formula.read().replace(/\s+/g, " ").trim()} `.replace(
      /^ | $/g,
      dollars === undefined ? " " : "",
    );
  });
}

type Token = { text: string; command?: string | undefined };

/** One formula, read from left to right. */
class Formula {
  readonly #tokens: Token[];
  readonly #isEnglish: boolean;
  #next = 0;
  #depth = 0;

  constructor(source: string, isEnglish: boolean) {
    this.#isEnglish = isEnglish;
    this.#tokens = Array.from(source.matchAll(TOKEN), ([text, command, escaped]) =>
      command === undefined
        ? { text: escaped === undefined ? text : escapedSign(escaped) }
        : { text, command },
    );
  }

  /** Up to the end, or to the end of a group. */
  read(): string {
    const read: string[] = [];
    for (let token = this.#tokens[this.#next]; token && token.text !== "}"; token = this.#tokens[this.#next])
      read.push(this.#readOne());
    return read.join("");
  }

  /** A sign, a command with what it takes, or a group. */
  #readOne(): string {
    const { text, command } = this.#tokens[this.#next++] ?? { text: "" };
    if (command !== undefined) return this.#readCommand(command);
    if (text === "{") return this.#readGroup();
    if (text === "^") return this.#readPower();
    if (text === "_") return this.#readIndex();
    if (text === "'") return this.#isEnglish ? " prime" : "";
    if (/[\s&~]/.test(text)) return " ";
    if (text === "*") return " × ";
    return /[-+=<>/|]/.test(text) ? ` ${text === "-" ? "−" : text === "|" ? "" : text} ` : text;
  }

  #readGroup(): string {
    if (++this.#depth > DEPTH_MAX) this.#next = this.#tokens.length;
    const read = this.read();
    this.#next++; // its end
    this.#depth--;
    return read;
  }

  /** What a command or a mark takes: a group, or the next sign. */
  #argument(): string {
    while (/^\s/.test(this.#tokens[this.#next]?.text ?? "")) this.#next++;
    return this.#readOne().trim();
  }

  #readCommand(command: string): string {
    if (/^[dt]?frac$/.test(command)) return this.#readFraction();
    if (command === "sqrt") return this.#readRoot();
    if (command === "begin" || command === "end") return this.#argument() && " ";
    const name = SIGNS[command] ?? command;
    if (LARGE.has(name)) return this.#readLarge(name);
    if (SILENT.has(command)) return " ";
    return ` ${(this.#isEnglish && WORDS[name]) || name} `;
  }

  #readFraction(): string {
    const [top, bottom] = [this.#argument(), this.#argument()];
    if (!this.#isEnglish || /^\d{1,2}\/\d{1,2}$/.test(`${top}/${bottom}`)) return ` ${top}/${bottom} `;
    return ` ${top} over ${bottom} `;
  }

  #readRoot(): string {
    const order = this.#tokens[this.#next]?.text === "[" ? this.#rootOrder() : "2";
    const under = this.#argument();
    if (order === "2" || order === "3") return ` ${order === "2" ? "√" : "∛"}${under} `;
    return this.#isEnglish ? ` the ${order}th root of ${under} ` : ` √${under} `;
  }

  #rootOrder(): string {
    const end = this.#tokens.findIndex(({ text }, index) => index > this.#next && text === "]");
    const order = this.#tokens.slice(this.#next + 1, end === -1 ? this.#next + 2 : end);
    this.#next = end === -1 ? this.#next + 2 : end + 1;
    return order.map(({ text }) => text).join("");
  }

  #readLarge(name: string): string {
    const limits: { _?: string; "^"?: string } = {};
    for (;;) {
      const mark = this.#tokens[this.#next];
      if (mark?.command === "limits" || mark?.text.trim() === "") this.#next++;
      else if (mark?.text === "_" || mark?.text === "^") {
        this.#next++;
        limits[mark.text] = this.#argument();
      } else break;
    }
    const { _: from, "^": to } = limits;
    if (!this.#isEnglish) return ` ${name} ${from ?? ""} ${to ?? ""} `;
    if (name === "lim") return ` the limit as ${(from ?? "").replace("→", "approaches")} of `;
    const range = from === undefined ? "" : to === undefined ? ` over ${from}` : ` from ${from} to ${to}`;
    return ` ${WORDS[name]}${range} of `;
  }

  #readPower(): string {
    const power = this.#argument();
    if (power === "°") return "°";
    if (!this.#isEnglish) return [...power].map((sign) => RAISED[sign] ?? sign).join("");
    return /^−? ?\w{1,4}$/.test(power) ? `^${power.replace(/−\s?/, "-")}` : ` to the power of ${power} `;
  }

  #readIndex(): string {
    const index = this.#argument();
    return this.#isEnglish && /^\p{L}/u.test(index) ? ` sub ${index} ` : ` ${index} `;
  }
}

/** Behind a backslash: a sign that stands for itself, a line, a space. */
const escapedSign = (sign: string): string =>
  /[%$#&_{}]/.test(sign) ? sign.replace(/[{}_]/, "") : sign === "\\" ? ", " : " ";
