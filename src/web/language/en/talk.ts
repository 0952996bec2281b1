/** English messages of conversations with a language model. */
import { areaTexts } from "../texts.ts";

export const talk = {
  title: "Conversation",
  codeNote: "OpenAI’s JavaScript SDK connects by wss: only, so it needs an address with https.",
  noConversation:
    "<b>This server has no conversation “{name}”.</b> A conversation needs a language model, which the operator of the server adds, for example:",
  inContainer: "In a container, <code>{variable}</code> does the same.",

  start: "Start talking",
  hold: "Hold to talk",
  mute: "Mute",
  interrupt: "Interrupt",
  end: "End",
  write: "Write to the assistant",
  send: "Send",

  dialogue: "Dialogue",
  appearsHere: "What you and the assistant say appears here.",
  timesFrom: "Times count from the end of your turn.",
  you: "You:",
  assistant: "Assistant:",
  notHeard: "(not heard:)",
  interrupted: "Interrupted",
  functionCall: "Function call:",
  incomplete: "The answer is not complete ({reason}).",

  stages: "Time after your turn",
  transcript: "Transcript",
  firstToken: "First token",
  firstClause: "First clause",
  firstSound: "First sound",
  measuredHere: "Measured by this page",

  settings: "Settings",
  conversationHint: "The name that clients give as model",
  voice: "Voice",
  ofConversation: "The conversation’s",
  instructionsHint: "Empty: the conversation’s. They count from the next answer on.",
  offerTime: "Offer a function: the current time",

  connecting: "Connecting …",
  waiting: "Waiting for the answer …",
  answering: "The assistant answers.",
  holdHint: "Hold the button while you speak, or press it before and after.",
  muted: "Your microphone is muted.",
  connected: "Connected. Write something, or start talking.",
  withoutMicrophone: "{problem} You can write to the assistant without it.",
  over: "The conversation is over.",
} as const;

export const talkTexts = areaTexts("talk", talk);
