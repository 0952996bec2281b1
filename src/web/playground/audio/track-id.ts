/** Names of tracks, unique in this browser; `crypto.randomUUID` is missing on plain HTTP. */
import { systemClock } from "../../../clock.ts";

let made = 0;

export const newTrackId = (): string => `${systemClock.now().toString(36)}-${made++}`;
