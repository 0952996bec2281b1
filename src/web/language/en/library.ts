/** English messages of the library of voices. */
import { areaTexts } from "../texts.ts";

export const library = {
  title: "Voices",
  allVoices: "All voices",
  own: "Your own",
  ownCount: "Your own ({count, number})",
  filters: "Filters",
  find: "Find",
  findHint: "Name, language, style",
  show: "Show",
  favourites: "Favourites",
  installed: "Installed",
  offered: "Not installed",
  language: "Language",
  gender: "Gender",
  style: "Style",
  model: "Model",
  count: "{count, plural, one {# voice} other {# voices}}",
  noFavourites: "No favourites yet: mark voices with their star.",
  noMatch: "No voice matches.",
  hint: "A sample is spoken once, then kept in this browser. Space plays it too.",
  favourite: "Favourite",
  isFavourite: "{voice} is a favourite",
  yours: "Yours",
  compare: "Compare",
  compareVoice: "Compare {voice}",
  use: "Use",
  useVoice: "Use {voice}",
  sentence: "Sentence",
  chooseSecond: "Choose a second voice below to compare with.",
  close: "Close",
  showAll: "Show all {count, number}",
  noSample: "There is no sample yet.",
} as const;

export const libraryTexts = areaTexts("library", library);
