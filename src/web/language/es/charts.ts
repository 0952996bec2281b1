/** Spanish messages of charts over time, their tables and captions. */
import type { Translations } from "../en/translation.ts";

export const charts: Translations["charts"] = {
  chart: "gráfico",
  keys: "{label}. Use las teclas de flecha para elegir una barra.",
  opens: "{label}. Use las teclas de flecha para elegir una barra e Intro para abrir sus solicitudes.",
  asTable: "Mostrar como tabla",
  asChart: "Mostrar como gráfico",
  groups: "Grupos",
  time: "Hora (UTC)",
  total: "Total",
  other: "Otros ({count, number})",
  none: "ninguna",
  noData: "sin datos",
  empty: "No hay datos en este período.",

  over: "{what} por {size, select, minute {minuto} hour {hora} day {día} other {mes}}, {period}",
  overCumulative:
    "{what} por {size, select, minute {minuto} hour {hora} day {día} other {mes}}, acumulado, {period}",
  byGroup:
    "{caption}, por {group, select, project {proyecto} key {clave} user {usuario} model {modelo} endpoint {endpoint} environment {entorno} end_user {usuario final} status {estado} voice {voz} language {idioma} format {formato} other {etiqueta}}",
  byModel: "{what} por modelo",
  hours: "{count, plural, one {# hora} other {# horas}}",
  days: "{count, plural, one {# día} other {# días}}",
  months: "{count, plural, one {# mes} other {# meses}}",

  requests: "Solicitudes",
  errors: "Errores",
  characters: "Caracteres",
  audio_seconds: "Audio",
  tokens: "Tokens",
  cost_micros: "Coste",
  first_output: "Espera hasta el primer audio",
  answer: "Tiempo hasta la respuesta completa",
  final_text: "Espera hasta el texto definitivo",
  median: "Mediana",
  p95: "Percentil 95",
  heat: "{what}, percentil 95, por día y hora",
  heatHint:
    "Por día y hora: cuanto más intenso es el color, más larga es la espera, hasta {longest} (percentil 95).",
};
