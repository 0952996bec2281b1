/** English messages of live transcription, and of what sessions share. */
import { areaTexts } from "../texts.ts";

export const live = {
  title: "Live transcription",
  needsNode: "The JavaScript code needs a browser or Node 22, whose WebSocket is built in.",
  start: "Start microphone",
  finishing: "Finishing …",
  listening: "Listening. Say something.",
  youSpeak: "You are speaking.",
  listeningOn: "Listening.",
  stopped: "Stopped.",
  opening: "Opening the microphone …",
  finishingLast: "Finishing the last utterance …",
  late: "No new words for {seconds, number} s: the server is busy, or the model tells them at the end of a sentence.",
  transcript: "Live transcript",
  after: "{delay} after you stopped",
  appearsHere: "What you say appears here.",
  cameAfter: "Text came {delay} after you stopped.",
  cameAfterMedian: "Text came {delay} after you stopped, {median} at the median.",
  endOfTurn: "End of a turn",
  afterSilence: "After half a second of silence",
  afterSentence: "When the sentence seems complete",
  pushToTalk: "When I say so: push to talk",
  lost: "The connection to the server was lost. Start again to go on.",
  closed: "The connection was closed: {reason}.",
} as const;

export const liveTexts = areaTexts("live", live);
