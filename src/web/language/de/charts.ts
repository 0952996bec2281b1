/** German messages of charts over time, their tables and captions. */
import type { Translations } from "../en/translation.ts";

export const charts: Translations["charts"] = {
  chart: "Diagramm",
  keys: "{label}. Mit den Pfeiltasten wählen Sie einen Balken.",
  opens:
    "{label}. Mit den Pfeiltasten wählen Sie einen Balken, mit der Eingabetaste öffnen Sie seine Anfragen.",
  asTable: "Als Tabelle zeigen",
  asChart: "Als Diagramm zeigen",
  groups: "Gruppen",
  time: "Zeit (UTC)",
  total: "Gesamt",
  other: "Andere ({count, number})",
  none: "keine",
  noData: "keine Daten",
  empty: "Keine Daten in diesem Zeitraum.",

  over: "{what} nach {size, select, minute {Minuten} hour {Stunden} day {Tagen} other {Monaten}}, {period}",
  overCumulative:
    "{what} nach {size, select, minute {Minuten} hour {Stunden} day {Tagen} other {Monaten}}, kumuliert, {period}",
  byGroup:
    "{caption}, nach {group, select, project {Projekt} key {Schlüssel} user {Nutzer} model {Modell} endpoint {Endpunkt} environment {Umgebung} end_user {Endnutzer} status {Status} voice {Stimme} language {Sprache} format {Format} other {Kennzeichnung}}",
  byModel: "{what} nach Modell",
  hours: "{count, plural, one {# Stunde} other {# Stunden}}",
  days: "{count, plural, one {# Tag} other {# Tage}}",
  months: "{count, plural, one {# Monat} other {# Monate}}",

  requests: "Anfragen",
  errors: "Fehler",
  characters: "Zeichen",
  audio_seconds: "Audio",
  tokens: "Tokens",
  cost_micros: "Kosten",
  first_output: "Wartezeit bis zum ersten Ton",
  answer: "Zeit bis zur ganzen Antwort",
  final_text: "Wartezeit bis zum endgültigen Text",
  median: "Median",
  p95: "95. Perzentil",
  heat: "{what}, 95. Perzentil, nach Tag und Stunde",
  heatHint:
    "Nach Tag und Stunde: Je kräftiger die Farbe, desto länger die Wartezeit, bis zu {longest} (95. Perzentil).",
};
