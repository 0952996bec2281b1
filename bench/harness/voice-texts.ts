/**
 * Thirty English texts that voices are judged by: prose, numbers, dates, amounts, abbreviations, questions, quotes, long
 * sentences and several paragraphs. Recorded figures depend on them.
 */
import { SENTENCES } from "./texts.ts";

/** Of a sentence or two each. */
const SHORT_TEXTS = [
  ...SENTENCES.slice(0, 6),
  "Call 555-0199 before 6 p.m. if you want a refund.",
  "The store was founded in 1987 and has about 1,250 employees today.",
  "Dr. Smith lives on 23 St. James St., next to the old church.",
  "The meeting is on March 3rd, 2024 at 10:30 a.m. in room 402.",
  "She bought 3 kg of apples for $5.50 and paid with a £10 note.",
  "Version 2.10 was released on 12/05/2023, and it fixed 98% of the bugs.",
  "Chapter IV begins on page 345 and ends on page 402.",
  "Are you sure that the train leaves at half past seven?",
  "What did he say when you told him about the accident?",
  "Do you want tea, coffee, or just a glass of water?",
  '"I have never been there," she said, "but I would love to go."',
  "He whispered: 'Nobody knows that we are here.'",
  "NASA and the FBI declined to comment on the report by the BBC.",
  "The temperature fell to -5 °C overnight, with winds of 30 mph.",
  "I read the book that you read last year, and I will record a review of it.",
  "Please live near the live music venue, and close the door that is close to you.",
  "Wait! Stop right there. You forgot your umbrella.",
  "Well, to be honest, I thought that it would be much worse; it was not.",
];

/** Long sentences, and texts of several sentences and paragraphs. */
const LONG_TEXTS = [
  "Although the committee had promised to publish its findings before the end of the summer, the chairman announced on Tuesday that the report would be delayed by several months, because two of its members had resigned and nobody had been appointed to replace them.",
  "When the last of the guests had gone and the candles were burning low, the old woman sat down by the window, opened the letter which she had carried in her pocket all day, and read it slowly from the first word to the last.",
  "The garden was quiet.\n\nA single bird sang in the pear tree, and then it stopped.\n\nNobody came to the gate that day.",
  "Opening hours\n\nWe are open from Monday to Friday, 9 a.m. to 5:30 p.m. On Saturdays we close at noon.\n\nTickets cost $12.00 for adults and $6.50 for children under 12.",
  "Thank you for calling. All of our agents are busy at the moment. Please stay on the line, and your call will be answered in about 4 minutes. Did you know that you can also reach us by e-mail?",
  "First, preheat the oven to 350 °F. Then mix 2 cups of flour with 1/2 cup of sugar. Add 3 eggs, one at a time. Bake it for 45 minutes, and let it cool before you cut it.",
];

export const VOICE_TEXTS = [...SHORT_TEXTS, ...LONG_TEXTS];
