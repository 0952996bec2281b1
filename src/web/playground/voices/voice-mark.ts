/** The picture of a voice in lists: a colour and letters of its own. Pure. */

import { COLOURS } from "../../ui/chart/series.ts";

/** The number of a `--series` colour, always the same for a voice. */
export const voiceColour = (id: string): number =>
  ([...id].reduce((hash, letter) => (hash * 31 + letter.codePointAt(0)!) % 9973, 7) % COLOURS) + 1;

/** Of its picture in lists: two letters tell more voices apart than one. */
export const voiceInitials = (name: string): string => [...name].slice(0, 2).join("");
