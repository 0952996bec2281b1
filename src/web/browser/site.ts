/** Where the server lies at its origin: below a path, if a proxy has several services there. */

/** `base`: that path, such as "/speech"; empty at the root. Read from the page when it starts. */
export const site: { base: string } = { base: "" };
