/** English messages of the narration: a text as paragraphs with voices of their own. */
import { areaTexts } from "../texts.ts";

export const narration = {
  voice: "Voice",
  hint: "Enter begins a paragraph. Drafts are kept in this browser only. Changed paragraphs alone are spoken again.",
  draft: "Draft",
  newDraft: "New draft",
  deleteDraft: "Delete draft",
  deleteTitle: "Delete this draft?",
  delete: "Delete",
  emptyDraft: "Empty draft",
  speakAll: "Speak all",
  captionsAs: "Download captions as {format}",

  paragraph: "Paragraph {number, number}",
  speakOne: "Speak paragraph {number, number}",
  speakingOne: "Speaking paragraph {number, number} of {count, number} …",
  voiceOf: "Voice of paragraph {number, number}",
  draftVoice: "Voice of the draft",
  pause: "Pause",
  pauseIn: "Insert a pause into paragraph {number, number}",
  reading: "Reading",
  readingIn: "Reading of a word in paragraph {number, number}",
  readingHint: "Puts braces behind the word: {example}",
} as const;

export const narrationTexts = areaTexts("narration", narration);
