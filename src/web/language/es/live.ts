/** Spanish messages of live transcription. */
import type { Translations } from "../en/translation.ts";

export const live: Translations["live"] = {
  title: "Transcripción en directo",
  needsNode: "El código JavaScript requiere un navegador o Node 22, que incluye WebSocket.",
  start: "Activar el micrófono",
  finishing: "Finalizando…",
  listening: "Escuchando. Puede hablar.",
  youSpeak: "Usted está hablando.",
  listeningOn: "Escuchando.",
  stopped: "Detenido.",
  opening: "Abriendo el micrófono…",
  finishingLast: "Finalizando el último enunciado…",
  late: "Sin palabras nuevas desde hace {seconds, number} s: el servidor está ocupado o el modelo las entrega al final de la frase.",
  transcript: "Transcripción en directo",
  after: "{delay} después de que terminara de hablar",
  appearsHere: "Lo que diga aparece aquí.",
  cameAfter: "El texto llegó {delay} después de que terminara de hablar.",
  cameAfterMedian: "El texto llegó {delay} después de que terminara de hablar; la mediana es de {median}.",
  endOfTurn: "Fin de un turno",
  afterSilence: "Tras medio segundo de silencio",
  afterSentence: "Cuando la frase parece completa",
  pushToTalk: "Cuando yo lo indique: pulsar para hablar",
  lost: "Se perdió la conexión con el servidor. Vuelva a empezar para continuar.",
  closed: "La conexión se cerró: {reason}.",
};
