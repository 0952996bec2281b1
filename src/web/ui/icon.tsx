/** The mark of Loquat, and icons of 24 units drawn with a line of the text's colour. */

const PATHS = {
  overview: "M4 4h7v7H4zM13 4h7v7h-7zM4 13h7v7H4zM13 13h7v7h-7z",
  playground: "M4 10v4M8 6v12M12 9v6M16 4v16M20 10v4",
  connect: "M9 3v5M15 3v5M6 8h12v3a6 6 0 0 1-12 0zM12 17v4",
  keys: "M4 15a4 4 0 1 0 8 0a4 4 0 1 0-8 0M11 12l8-8M15 8l3 3",
  docs: "M5 4h10a4 4 0 0 1 4 4v12H8a3 3 0 0 1-3-3zM5 17a3 3 0 0 1 3-3h11",
  usage: "M4 20h16M7 16v-5M12 16V6M17 16v-8",
  requests: "M4 6h16M4 12h16M4 18h10",
  jobs: "M5 4h14M5 20h14M7 4v3l5 5 5-5V4M7 20v-3l5-5 5 5v3",
  limits: "M4 17a8 8 0 1 1 16 0M12 17l4-6",
  projects: "M3 7a2 2 0 0 1 2-2h4l2 2h8a2 2 0 0 1 2 2v8a2 2 0 0 1-2 2H5a2 2 0 0 1-2-2z",
  members: "M5 8a4 4 0 1 0 8 0a4 4 0 1 0-8 0M2 20a7 7 0 0 1 14 0M16 4.5a4 4 0 0 1 0 7M18 14a7 7 0 0 1 4 6",
  billing: "M3 6h18v12H3zM3 10h18M7 15h3",
  settings: "M4 7h9M17 7h3M4 17h3M11 17h9M13 7a2 2 0 1 0 4 0a2 2 0 1 0-4 0M7 17a2 2 0 1 0 4 0a2 2 0 1 0-4 0",
  models: "M12 3l9 5-9 5-9-5zM3 12l9 5 9-5M3 16l9 5 9-5",
  upstreams: "M4 4h16v6H4zM4 14h16v6H4zM8 7h.01M8 17h.01",
  conversations: "M4 5h11v8H9l-3 3v-3H4zM18 9h2v8h-2v3l-3-3H10",
  aliases: "M4 8h13M13 4l4 4-4 4M20 16H7M11 12l-4 4 4 4",
  pronunciations: "M3 12V4h8l9 9-8 8zM7.5 8.5h.01",
  organizations: "M4 21V5l8-2v18M12 9h8v12M3 21h18M7 8h2M7 12h2M7 16h2M15 13h2M15 17h2",
  webhooks: "M9 9a3 3 0 1 1 4.5 2.6L16 16M6 13a3 3 0 1 0 3 4h7M13 14a3 3 0 1 1 3 5",
  audit: "M6 3h9l4 4v14H6zM15 3v4h4M9 12h7M9 16h7M9 8h2",
  status: "M3 12h4l3-8 4 16 3-8h4",
  star: "M12 3.5l2.6 5.4 5.9.8-4.3 4.1 1.1 5.9-5.3-2.9-5.3 2.9 1.1-5.9L3.5 9.7l5.9-.8z",
  search: "M4 11a7 7 0 1 0 14 0a7 7 0 1 0-14 0M16 16l5 5",
  menu: "M4 7h16M4 12h16M4 17h16",
  close: "M6 6l12 12M18 6L6 18",
  copy: "M9 9h11v11H9zM5 15H4V4h11v1",
  check: "M5 13l4 4L19 7",
  unfold: "M8 9l4-4 4 4M8 15l4 4 4-4",
  up: "M6 15l6-6 6 6",
  down: "M6 9l6 6 6-6",
  user: "M8 8a4 4 0 1 0 8 0a4 4 0 1 0-8 0M4 21a8 8 0 0 1 16 0",
  leave: "M14 4H5v16h9M10 12h11M17 8l4 4-4 4",
  plus: "M12 5v14M5 12h14",
  play: "M7 4l13 8-13 8z",
  pause: "M7 5h3v14H7zM14 5h3v14h-3z",
  stop: "M6 6h12v12H6z",
  download: "M12 4v11M7 10.5l5 5 5-5M5 20h14",
  code: "M8.5 7L3.5 12l5 5M15.5 7l5 5-5 5",
  microphone: "M12 3a3 3 0 0 1 3 3v6a3 3 0 0 1-6 0V6a3 3 0 0 1 3-3zM5.5 11.5a6.5 6.5 0 0 0 13 0M12 18v3",
  reuse: "M4.5 12a7.5 7.5 0 1 0 2.4-5.5M4.5 3.5v4h4",
  plain: "M3 12a9 9 0 1 0 18 0a9 9 0 1 0-18 0M12 11v6M12 7.5h.01",
  good: "M3 12a9 9 0 1 0 18 0a9 9 0 1 0-18 0M8 12.5l3 3 5-6",
  warn: "M12 4l9 16H3zM12 10v4M12 17h.01",
  bad: "M3 12a9 9 0 1 0 18 0a9 9 0 1 0-18 0M12 7v6M12 16.5h.01",
} as const;

export type IconName = keyof typeof PATHS;

/** Decorative: the text beside it, or the label of its button, says the same. */
export function Icon({ name, size = 18 }: { name: IconName; size?: number }) {
  return (
    <svg className="icon" width={size} height={size} viewBox="0 0 24 24" aria-hidden>
      <path d={PATHS[name]} />
    </svg>
  );
}

/** The same drawing as mark.svg. */
export function Mark({ size = 22 }: { size?: number }) {
  return (
    <svg width={size} height={size} viewBox="0 0 32 32" fill="none" strokeLinecap="round" aria-hidden>
      <path d="M21 4c-3 0-5 2-5 5" stroke="#4f7a28" strokeWidth="3" />
      <ellipse cx="16" cy="19" rx="11" ry="10" fill="#f09a2f" />
      <path d="M9 19h2m2-4v8m3-10v12m3-9v6m3-4v2" stroke="#fff" strokeWidth="2" />
    </svg>
  );
}
