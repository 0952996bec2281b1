/** English messages that many pages share: of buttons, fields, notices, and errors that are found in the browser. */
import { areaTexts } from "../texts.ts";

export const controls = {
  language: "Language",
  partialLanguage: "{name} (partial)",

  cancel: "Cancel",
  close: "Close",
  done: "Done",
  previous: "Previous",
  next: "Next",
  show: "Show",
  hide: "Hide",
  details: "Details",
  saved: "Saved.",
  all: "All",
  loading: "Loading",
  tryAgain: "Try again",
  reload: "Reload",

  copy: "Copy",
  copied: "Copied",
  pressToCopy: "Press Ctrl+C to copy",
  copyLink: "Copy link",
  copyTheCode: "Copy the code",

  passwordHint: "At least 10 characters.",
  showField: "Show {field}",
  hideField: "Hide {field}",
  codeOfApp: "Code of the app",
  codeOrRecovery: "Code of your authenticator app, or a recovery code",
  confirmTitle: "Confirm that it is you",
  confirm: "Confirm",
  confirmText: "What you are about to do needs a code of your second factor. It counts for 15 minutes.",
  notConfirmed: "Not confirmed, so nothing was changed.",
  fixFields: "Fix the highlighted fields.",

  unreachable: "The server cannot be reached. Check the connection and try again.",
  reconnecting: "<b>Reconnecting …</b> The server does not answer. What this page shows is from {time}.",
  connection: "Connection",
  updated: "<b>Loquat was updated.</b> Reload to use the new version.",
  pageNotLoaded: "This page could not be loaded.",
  partNotLoaded: "This part of the page could not be loaded.",
  pageOpens: "The server cannot be reached. The page opens as soon as it answers.",
  partAppears: "The server cannot be reached. This part appears as soon as it answers.",
  mayBeUpdated: "Loquat may have been updated. Reload to get the current version.",
  pageStopped:
    "<b>This page stopped because of an error in Loquat.</b> Reload the page. If that does not help, report this message:",
  partStopped:
    "<b>This part of the page stopped because of an error in Loquat.</b> Reload the page. If that does not help, report this message:",
  noMail: "This server sends no e-mail. Its operator finds what would be sent in a folder.",

  spokenBy: "Spoken by {voice}.",
  spokenByOf: "Spoken by {voice}, of {model}.",
  noVoice: "No voice is installed on this server. See: loquat doctor",
  playSample: "Play a sample of {voice}",
  stopSample: "Stop the sample of {voice}",
} as const;

export const controlsTexts = areaTexts("controls", controls);
