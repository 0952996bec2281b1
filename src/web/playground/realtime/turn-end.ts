/** What ends a turn of the person who speaks, with the id of its text. */

export const TURN_ENDS = {
  server_vad: "afterSilence",
  semantic_vad: "afterSentence",
  none: "pushToTalk",
} as const;

/** `none`: the page commits what was said. */
export type TurnEnd = keyof typeof TURN_ENDS;
