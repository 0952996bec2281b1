/** What ends a turn of the person who speaks. */

export const TURN_ENDS = {
  server_vad: "After half a second of silence",
  semantic_vad: "When the sentence seems complete",
  none: "When I say so: push to talk",
};

/** `none`: the page commits what was said. */
export type TurnEnd = keyof typeof TURN_ENDS;
