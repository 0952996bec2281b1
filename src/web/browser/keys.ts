/** The names of keys as this machine's keyboard has them. */

const isMac = /Mac|iPhone|iPad/.test(navigator.platform);

/** With a letter or a sign: "Ctrl K", and "⌘ K" on a Mac. */
export const withControl = (key: string): string => `${isMac ? "⌘" : "Ctrl"} ${key}`;
