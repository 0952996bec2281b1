/** Spanish messages of an organization's own voices. */
import type { Translations } from "../en/translation.ts";

export const ownVoices: Translations["ownVoices"] = {
  title: "Voces de esta organización",
  cloning:
    "Una voz se crea a partir de una grabación de 3 a 30 segundos. Solo esta organización puede usarla.",
  cloningOff:
    "El operador de este servidor ha desactivado la clonación de voz: no se pueden crear ni usar voces.",
  cloningMissing:
    "Ningún modelo instalado crea voces a partir de grabaciones. El operador de este servidor puede instalar uno en la página Modelos.",
  canBlend: "Las voces de un modelo se pueden mezclar sin grabación.",
  none: "Todavía no hay voces.",
  name: "Nombre",
  id: "Id.",
  madeOf: "Creada a partir de",
  madeOn: "Fecha de creación",
  aRecording: "una grabación",
  ofRecording: "{seconds} s de grabación",
  actions: "Acciones",
  play: "Reproducir",
  stop: "Detener",
  playRecording: "Reproducir la grabación de {name}",
  stopRecording: "Detener la grabación de {name}",
  speakWith: "Hablar con la voz de {name}",
  delete: "Eliminar",
  deleteName: "Eliminar {name}",
  deleteTitle: "¿Eliminar {name}?",
  deleteRecording: "La grabación y el consentimiento también se eliminan.",
  deleteText: "A partir de entonces se rechazan las solicitudes con esta voz.",

  consents: "Consentimientos de los hablantes",
  consentsText:
    "Una grabación en la que un hablante da su consentimiento; la API la guarda para cualquier número de voces. Cada voz conserva una copia del consentimiento con el que se creó.",
  consentList: "Consentimientos",
  noConsents: "Todavía no hay consentimientos.",
  language: "Idioma",
  playConsent: "Reproducir el consentimiento de {name}",
  stopConsent: "Detener el consentimiento de {name}",
  deleteConsent: "Eliminar el consentimiento de {name}",
  deleteConsentTitle: "¿Eliminar el consentimiento de {name}?",
  deleteConsentText:
    "Las voces creadas con él se conservan, con su copia. Elimínelas también si el hablante retira su consentimiento.",

  make: "Crear una voz",
  doMake: "Crear la voz",
  recording: "Grabación",
  recordingHint:
    "De 3 a 30 segundos de una sola persona, en una sala silenciosa: el ruido pasa a formar parte de la voz.",
  needsRecording: "Haga una grabación o elija un archivo.",
  agrees: "La persona que habla da su consentimiento",
  inWriting: "Por escrito",
  inRecording: "En una grabación",
  consent: "Consentimiento",
  consentHint:
    "Por ejemplo: Soy Ada y acepto que esta voz se cree a partir de la mía. El texto se guarda con la voz.",
  spokenConsent: "Consentimiento grabado",
  spokenConsentHint: "Por ejemplo: Soy Ada y acepto que esta voz se cree a partir de la mía.",
  needsConsent: "Grabe el consentimiento o elija su archivo.",
  fileOf: "{label}: archivo",
  toCheck: "{label}, para comprobarla",

  blend: "Mezclar voces",
  saveBlend: "Guardar la voz",
  weights: "Voces y sus pesos",
  add: "Añadir una voz",
  hearBlend: "Escuchar la mezcla",
  blendHint: "Guardar no cuesta nada. Escucharla cuesta lo mismo que cualquier otra síntesis.",
  voiceNumber: "Voz {number, number}",
  weight: "Peso ({share, number} %)",
  remove: "Quitar",
  removeNumber: "Quitar la voz {number, number}",
};
