/**
 * What arrived of the sound of each item, and what of it was played, in samples. Pure.
 *
 *   arrived ▒▒▒▒▒▒▒▒▒▒▒▒▒▒▒▒
 *   played  ▒▒▒▒▒▒▒▒ now        heard: the words that begin before it
 */
import { TTS_SAMPLE_RATE } from "../../../audio/rates.ts";

/** `isWhole`: no more will arrive. `isCut`: what was not played will not be. */
export type Sound = { itemId: string; arrived: number; played: number; isWhole: boolean; isCut: boolean };

/** In the order in which they arrived. */
export type Sounds = readonly Sound[];

const NOTHING = { arrived: 0, played: 0, isWhole: false, isCut: false };

export const soundOf = (sounds: Sounds, itemId: string): Sound =>
  sounds.find((sound) => sound.itemId === itemId) ?? { itemId, ...NOTHING };

function change(sounds: Sounds, itemId: string, edit: (sound: Sound) => Partial<Sound>): Sounds {
  const known = sounds.some((sound) => sound.itemId === itemId)
    ? sounds
    : [...sounds, soundOf(sounds, itemId)];
  return known.map((sound) => (sound.itemId === itemId ? { ...sound, ...edit(sound) } : sound));
}

export const arrive = (sounds: Sounds, itemId: string, count: number): Sounds =>
  change(sounds, itemId, ({ arrived }) => ({ arrived: arrived + count }));

export const complete = (sounds: Sounds, itemId: string): Sounds =>
  change(sounds, itemId, () => ({ isWhole: true }));

/** `count`: of all its samples that were played so far. */
export const play = (sounds: Sounds, itemId: string, count: number): Sounds =>
  change(sounds, itemId, ({ played, isCut }) => (isCut ? {} : { played: Math.max(played, count) }));

const isPlayed = ({ arrived, played, isWhole }: Sound): boolean => isWhole && played >= arrived;

/** Whether something is being played, or is about to be. */
export const isAudible = (sounds: Sounds): boolean =>
  sounds.some((sound) => !sound.isCut && sound.played < sound.arrived);

/** `audioEndMs`: how much of the item was heard. */
export type Cut = { itemId: string; audioEndMs: number };

/** Ends all that was not played to its end. `latencyMs`: between a sample's playing and its sound. */
export function cut(sounds: Sounds, latencyMs: number): { sounds: Sounds; cuts: Cut[] } {
  const isOpen = (sound: Sound) => !sound.isCut && !isPlayed(sound);
  const cuts = sounds.filter(isOpen).map(({ itemId, played }) => ({
    itemId,
    audioEndMs: Math.max(0, Math.round((1000 * played) / TTS_SAMPLE_RATE - latencyMs)),
  }));
  return { sounds: sounds.map((sound) => (isOpen(sound) ? { ...sound, isCut: true } : sound)), cuts };
}

/** Whether text that came when so much of its item's sound had arrived was heard. */
export const isHeard = (sound: Sound, start: number): boolean => start < sound.played || isPlayed(sound);
