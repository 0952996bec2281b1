/** The query of /v1/listen: what a recording and a stream have in common. */
import { languageHint } from "../../../language-tag.ts";
import type { Query } from "../query.ts";
import type { RecordingRequest } from "../recordings.ts";
import type { TextStyle } from "./results.ts";

/** What would change the text, or where it goes. */
export const REFUSED: Record<string, string> = {
  callback: "the transcript is in the answer.",
  redact: "nothing is removed from a transcript.",
  replace: "transcripts are as they were heard.",
  profanity_filter: "nothing is removed from a transcript.",
  dictation: "spoken punctuation is not replaced.",
  measurements: "units are not abbreviated.",
  multichannel: "the channels of a recording are heard together.",
};

const USED = [
  ...["model", "language", "detect_language", "punctuate", "smart_format", "paragraphs", "diarize"],
  ...[
    "diarize_model",
    "utterances",
    "utt_split",
    "keyterm",
    "keywords",
    "encoding",
    "sample_rate",
    "channels",
    "tag",
  ],
];
/** Clients that mean the speech of several languages, or its detection. */
const ANY_LANGUAGE = "multi";

export type ListenRequest = RecordingRequest & { style: TextStyle };

/** `alsoUsed`: names that have an effect beside those of recordings. */
export function readListenQuery(query: Query, alsoUsed: readonly string[] = []): ListenRequest {
  query.refuse(REFUSED);
  const smart = query.flag("smart_format");
  const paragraphs = query.flag("paragraphs");
  const diarized = query.flag("diarize") || query.asks("diarize_model");
  const keyterm = query.list("keyterm");
  const prefer = [...keyterm, ...query.list("keywords").map(withoutBoost)];
  const used = new Set([...USED, ...alsoUsed]);
  return {
    model: query.text("model"),
    ...languagesIn(query),
    prefer,
    keywords: prefer.length === 0 ? null : keyterm.length > 0 ? "keyterm" : "keywords",
    speakers: diarized ? "diarize" : null,
    speakerCount: null,
    wordTimes: "words",
    ignored: query.names().filter((name) => !used.has(name) && query.asks(name)),
    style: {
      isPunctuated: smart || paragraphs || query.flag("punctuate"),
      paragraphs: paragraphs || smart,
      tellsLanguage: query.asks("detect_language"),
    },
  };
}

/** `detect_language` is a flag, or the languages to choose from. */
function languagesIn(query: Query): Pick<ListenRequest, "language" | "languages"> {
  const among = query.list("detect_language").filter((value) => !/^(?:true|false|[01])$/i.test(value));
  const named = query.text("language");
  const isOpen = query.asks("detect_language") || named === ANY_LANGUAGE;
  return { language: isOpen ? null : languageHint(named), languages: among };
}

/** A keyword may carry a weight: `typography:2`. */
const withoutBoost = (keyword: string): string => keyword.replace(/:-?[\d.]+$/, "");
