/** What a person chooses about a conversation, as the settings of its session. */
import { systemClock } from "../../../clock.ts";
import type { TurnEnd } from "../realtime/turn-end.ts";

/** Empty: as the conversation has it. `tellsTime`: the language model may ask for the time. */
export type TalkSettings = {
  conversation: string;
  voice: string;
  turnEnd: TurnEnd;
  instructions: string;
  tellsTime: boolean;
};

/** Each server that has a language model has it. */
export const DEFAULT_CONVERSATION = "assistant";

const CURRENT_TIME = {
  type: "function",
  name: "current_time",
  description: "The current date and time where the user is.",
  parameters: { type: "object", properties: {} },
};

/** By name: what this page returns where the language model calls them. */
export const FUNCTIONS = {
  [CURRENT_TIME.name]: () => new Date(systemClock.now()).toString(),
};

/** Of any client: what is empty is left as it is, or as the conversation has it. */
export const chosenConfig = ({ voice, turnEnd, instructions }: TalkSettings) => ({
  type: "realtime",
  ...(instructions === "" ? {} : { instructions }),
  audio: {
    input: { turn_detection: turnEnd === "none" ? null : { type: turnEnd } },
    ...(voice === "" ? {} : { output: { voice } }),
  },
});

/** Of this page. `rate`: of the microphone, in Hz. */
export function sessionConfig(settings: TalkSettings, rate: number) {
  const { audio, ...chosen } = chosenConfig(settings);
  const format = { type: "audio/pcm", rate };
  return {
    ...chosen,
    tools: settings.tellsTime ? [CURRENT_TIME] : [],
    // the transcripts are told, by the model of the conversation
    audio: { ...audio, input: { ...audio.input, format, transcription: {} } },
  };
}
