/** Spanish messages of the narration. */
import type { Translations } from "../en/translation.ts";

export const narration: Translations["narration"] = {
  voice: "Voz",
  hint: "La tecla Intro empieza un párrafo nuevo. Los borradores se guardan solo en este navegador. Solo se vuelven a leer los párrafos modificados.",
  draft: "Borrador",
  newDraft: "Borrador nuevo",
  deleteDraft: "Eliminar borrador",
  deleteTitle: "¿Eliminar este borrador?",
  delete: "Eliminar",
  emptyDraft: "Borrador vacío",
  speakAll: "Leer todo",
  captionsAs: "Descargar los subtítulos en {format}",

  paragraph: "Párrafo {number, number}",
  speakOne: "Leer el párrafo {number, number}",
  speakingOne: "Leyendo el párrafo {number, number} de {count, number}…",
  voiceOf: "Voz del párrafo {number, number}",
  draftVoice: "Voz del borrador",
  pause: "Pausa",
  pauseIn: "Insertar una pausa en el párrafo {number, number}",
  reading: "Pronunciación",
  readingIn: "Pronunciación de una palabra del párrafo {number, number}",
  readingHint: "Añade llaves después de la palabra: {example}",
};
