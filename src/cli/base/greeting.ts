/** The greeting of a starting server: its addresses, and the links of a new installation. */

export type Greeting = {
  /** The public origin. */
  origin: string;
  /** The secret of a set-up link; null once the server has an operator. */
  setUpSecret: string | null;
  /** The first key and where it is stored; null after the first start. */
  firstKey: { secret: string; path: string } | null;
  /** Whether a person reads it and nothing keeps it: a key must not stay in the log of a container or service. */
  isTerminal: boolean;
  wyomingPort: number | null;
};

/** Secrets are in fragments, which browsers do not send to servers. */
export function greetingOf({ setUpSecret, firstKey, wyomingPort, ...greeting }: Greeting): string {
  const origin = openable(greeting.origin);
  const printable = greeting.isTerminal ? firstKey : null;
  const playground = printable ? `/playground#key=${printable.secret}` : "/playground";
  const rows: [string, string][] = [
    ...(setUpSecret === null
      ? []
      : [["Set up", `${setUpLink(origin, setUpSecret)}  (once, within 24 hours)`] as [string, string]]),
    ["Dashboard", origin],
    ["Playground", origin + playground],
    ["API docs", `${origin}/docs`],
    ...(firstKey
      ? [
          ["API key", `${printable ? `${printable.secret}  ` : ""}(stored in ${firstKey.path})`] as [
            string,
            string,
          ],
        ]
      : []),
    ...(wyomingPort === null
      ? []
      : [["Wyoming", `port ${wyomingPort}, without authentication`] as [string, string]]),
  ];
  return rows.map(([name, value]) => `  ${name.padEnd(12)}${value}`).join("\n");
}

export const setUpLink = (origin: string, secret: string): string =>
  `${openable(origin)}/setup#token=${secret}`;

/** Browsers cannot open the address of all interfaces. */
const openable = (origin: string): string => origin.replace(/\/\/(0\.0\.0\.0|\[::\])(?=:|$)/, "//localhost");
