/** The playground's icons: drawn on a grid of 16, in the colour of the text. */

const PATHS = {
  play: "M4.5 2.8v10.4L13 8z",
  pause: "M4 3h3v10H4zM9 3h3v10H9z",
  stop: "M4 4h8v8H4z",
  download: "M8 2v7M4.8 6.3 8 9.5l3.2-3.2M3 13h10",
  code: "M5.5 4.5 2 8l3.5 3.5M10.5 4.5 14 8l-3.5 3.5",
  microphone: "M8 2a2 2 0 0 1 2 2v4a2 2 0 1 1-4 0V4a2 2 0 0 1 2-2zM3.8 7.5a4.2 4.2 0 0 0 8.4 0M8 11.7V14",
  remove: "M4.5 4.5l7 7M11.5 4.5l-7 7",
  reuse: "M3 8a5 5 0 1 0 1.6-3.7M3 2.5v2.8h2.8",
} as const;

const SOLID: readonly string[] = ["play", "pause", "stop"];

export type GlyphName = keyof typeof PATHS;

/** Hidden from assistive technology: the control that contains it has a name. */
export function Glyph({ name }: { name: GlyphName }) {
  return (
    <svg className={SOLID.includes(name) ? "glyph solid" : "glyph"} viewBox="0 0 16 16" aria-hidden="true">
      <path d={PATHS[name]} />
    </svg>
  );
}
