/** English messages of the transcription of files, and of transcripts. */
import { areaTexts } from "../texts.ts";

export const transcribe = {
  recording: "Recording",
  drop: "Drop a recording here, or <u>choose a file</u>",
  limits: "Up to 25 MB and 10 minutes",
  limitsJobs: "Up to 25 MB and 10 minutes; more in the background",
  record: "Record",
  stopRecording: "Stop recording",
  level: "Microphone level",
  language: "Language",
  detect: "Detect",
  format: "Response format",
  timestamps: "Timestamps",
  words: "Words",
  segments: "Segments",
  promptAndKeywords: "Prompt and keywords",
  keywords: "Keywords",
  keywordsHint: "Words that are preferred as you write them, one a line.",
  prompt: "What was said before",
  promptHint: "Used by models that take a prompt; others ignore it.",
  transcribe: "Transcribe",
  transcribeAgain: "Transcribe again",

  transcript: "Transcript",
  undo: "Undo corrections",
  correct: "Correct",
  done: "Done",
  empty: "The transcript appears here. Click a word to play it.",
  transcribing: "Transcribing {file} …",
  isEmpty: "{file} is empty.",
  tooLarge: "{file} has {size}. The API takes files of at most {max}.",
  transcribed: "Transcribed in {time}.",
  transcribedAudio: "{duration} s of audio in {time}.",
  noSpeech: "No speech was recognized.",
  clickWord: "Click a word to play it.",
  sending: "Sending {file} …",
  sent: "Sent {percent, number} % of {file}",
  inBackground: "Transcribe in the background",
  inBackgroundHint: "It goes on without this page, as a job.",

  sure: "Only {percent, number} % sure.",
  oneLanguage:
    "{model} knows {language} only. For another language, choose another model, or have a recognizer such as Whisper installed on the page Models.",
  chooseLanguage: "Choose the language of the recording, or another model.",
  waveform: "Waveform with words",
  textFrom: "Text from {time}",
  playFrom: "Play from {time}",
  confidence: "Confidence of the recognizer in this segment",
  span: "{start} to {end} s",
  export: "Export",
  downloadAs: "Download as {format}",
  copyText: "Copy text",

  microphoneDenied: "The browser did not allow the microphone. Allow it for this page in the address bar.",
  noMicrophone: "No microphone was found. Connect one and try again.",
  microphoneBusy: "Another program is using the microphone.",
  httpsOnly:
    "<b>Browsers give the microphone only to https or localhost.</b> This page is at <code>{origin}</code>. Two ways out:",
  serveHttps:
    "Serve it over HTTPS: start the server with <code>loquat serve --lan</code>, which makes a certificate, or put a TLS proxy in front of it.",
  chromeFlag:
    "In Chrome or Edge, open <flag></flag>, add <code>{origin}</code> there and restart the browser.",
} as const;

export const transcribeTexts = areaTexts("transcribe", transcribe);
