/** English messages of charts over time, their tables and captions. */
import { areaTexts } from "../texts.ts";

export const charts = {
  chart: "chart",
  keys: "{label}. Use the arrow keys to select a bar.",
  opens: "{label}. Use the arrow keys to select a bar, Enter to open its requests.",
  asTable: "Show as table",
  asChart: "Show as chart",
  groups: "Groups",
  time: "Time (UTC)",
  total: "Total",
  other: "Other ({count, number})",
  none: "none",
  noData: "no data",
  empty: "No data in this period.",

  over: "{what} by {size, select, minute {minute} hour {hour} day {day} other {month}}, {period}",
  overCumulative:
    "{what} by {size, select, minute {minute} hour {hour} day {day} other {month}}, cumulative, {period}",
  byGroup:
    "{caption}, by {group, select, project {project} key {key} user {user} model {model} endpoint {endpoint} environment {environment} end_user {end user} status {status} voice {voice} language {language} format {format} other {label}}",
  byModel: "{what} by model",
  hours: "{count, plural, one {# hour} other {# hours}}",
  days: "{count, plural, one {# day} other {# days}}",
  months: "{count, plural, one {# month} other {# months}}",

  requests: "Requests",
  errors: "Errors",
  characters: "Characters",
  audio_seconds: "Audio",
  tokens: "Tokens",
  cost_micros: "Cost",
  first_output: "Wait for the first audio",
  answer: "Time until the whole answer",
  final_text: "Wait for the final text",
  median: "Median",
  p95: "95th percentile",
  heat: "{what}, 95th percentile, by day and hour",
  heatHint:
    "By day and hour: the stronger its colour, the longer the wait, up to {longest} (95th percentile).",
} as const;

export const chartsTexts = areaTexts("charts", charts);
