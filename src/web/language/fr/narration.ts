/** French messages of the narration. */
import type { Translations } from "../en/translation.ts";

export const narration: Translations["narration"] = {
  voice: "Voix",
  hint: "La touche Entrée commence un nouveau paragraphe. Les brouillons restent dans ce navigateur. Seuls les paragraphes modifiés sont relus.",
  draft: "Brouillon",
  newDraft: "Nouveau brouillon",
  deleteDraft: "Supprimer le brouillon",
  deleteTitle: "Supprimer ce brouillon ?",
  delete: "Supprimer",
  emptyDraft: "Brouillon vide",
  speakAll: "Tout lire",
  captionsAs: "Télécharger les sous-titres au format {format}",

  paragraph: "Paragraphe {number, number}",
  speakOne: "Lire le paragraphe {number, number}",
  speakingOne: "Lecture du paragraphe {number, number} sur {count, number}…",
  voiceOf: "Voix du paragraphe {number, number}",
  draftVoice: "Voix du brouillon",
  pause: "Pause",
  pauseIn: "Insérer une pause dans le paragraphe {number, number}",
  reading: "Prononciation",
  readingIn: "Prononciation d’un mot du paragraphe {number, number}",
  readingHint: "Ajoute des accolades après le mot : {example}",
};
