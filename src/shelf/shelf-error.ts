/** Something that keeps a package from the shelf; the message says what, and what to do. Nothing has changed. */
export class ShelfError extends Error {}
