/** Spanish messages of the transcription of files. */
import type { Translations } from "../en/translation.ts";

export const transcribe: Translations["transcribe"] = {
  recording: "Grabación",
  drop: "Arrastre una grabación aquí o <u>elija un archivo</u>",
  limits: "Hasta 25 MB y 10 minutos",
  limitsJobs: "Hasta 25 MB y 10 minutos; más en segundo plano",
  record: "Grabar",
  stopRecording: "Detener la grabación",
  level: "Nivel del micrófono",
  language: "Idioma",
  detect: "Detectar",
  format: "Formato de la respuesta",
  timestamps: "Marcas de tiempo",
  words: "Palabras",
  segments: "Segmentos",
  promptAndKeywords: "Indicación y palabras clave",
  keywords: "Palabras clave",
  keywordsHint: "Palabras que se prefieren tal como las escriba, una por línea.",
  prompt: "Lo que se dijo antes",
  promptHint: "Lo usan los modelos que admiten una indicación; los demás lo ignoran.",
  transcribe: "Transcribir",
  transcribeAgain: "Transcribir de nuevo",

  transcript: "Transcripción",
  undo: "Deshacer las correcciones",
  correct: "Corregir",
  done: "Listo",
  empty: "La transcripción aparece aquí. Haga clic en una palabra para reproducirla.",
  transcribing: "Transcribiendo {file}…",
  isEmpty: "{file} está vacío.",
  tooLarge: "{file} ocupa {size}. La API admite archivos de {max} como máximo.",
  transcribed: "Transcrito en {time}.",
  transcribedAudio: "{duration} s de audio en {time}.",
  noSpeech: "No se reconoció voz.",
  clickWord: "Haga clic en una palabra para reproducirla.",
  sending: "Enviando {file}…",
  sent: "Enviado el {percent, number} % de {file}",
  inBackground: "Transcribir en segundo plano",
  inBackgroundHint: "Continúa sin esta página, como un trabajo.",

  sure: "Confianza de solo el {percent, number} %.",
  oneLanguage:
    "{model} solo reconoce: {language}. Para otro idioma, elija otro modelo o solicite que se instale un reconocedor como Whisper en la página «Modelos».",
  chooseLanguage: "Elija el idioma de la grabación u otro modelo.",
  waveform: "Forma de onda con palabras",
  textFrom: "Texto desde {time}",
  playFrom: "Reproducir desde {time}",
  confidence: "Confianza del reconocedor en este segmento",
  span: "{start} a {end} s",
  export: "Exportar",
  downloadAs: "Descargar como {format}",
  copyText: "Copiar el texto",

  microphoneDenied:
    "El navegador no permitió el micrófono. Permítalo para esta página en la barra de direcciones.",
  noMicrophone: "No se encontró ningún micrófono. Conecte uno e inténtelo de nuevo.",
  microphoneBusy: "Otro programa está usando el micrófono.",
  httpsOnly:
    "<b>Los navegadores solo dan acceso al micrófono en https o localhost.</b> Esta página está en <code>{origin}</code>. Dos soluciones:",
  serveHttps:
    "Servirla por HTTPS: inicie el servidor con <code>loquat serve --lan</code>, que crea un certificado, o coloque delante un proxy TLS.",
  chromeFlag:
    "En Chrome o Edge, abra <flag></flag>, añada allí <code>{origin}</code> y reinicie el navegador.",
};
