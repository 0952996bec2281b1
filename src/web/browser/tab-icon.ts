/** What the icon of the tab says: that the microphone is open, or that something got ready while another tab was in front. */

const COLOURS = { recording: "#d92d20", ready: "#3f7d20" };

let openMicrophones = 0;
let isReady = false;

type Mark = { href: string; svg: string };

let mark: Promise<Mark | null> | null = null;

/** Null where the server cannot be reached: then the icon stays as it is. */
async function readMark(href: string): Promise<Mark | null> {
  try {
    return { href, svg: await (await fetch(href)).text() };
  } catch {
    return null;
  }
}

async function draw(): Promise<void> {
  const link = document.querySelector<HTMLLinkElement>('link[rel="icon"]');
  if (!link) return;
  mark ??= readMark(link.href);
  const read = await mark;
  if (!read) return;
  const { href, svg } = read;
  const colour = openMicrophones > 0 ? COLOURS.recording : isReady ? COLOURS.ready : null;
  const dot = `<circle cx="24" cy="8" r="7" fill="${colour}" stroke="#fff" stroke-width="2"/></svg>`;
  link.href = colour === null ? href : `data:image/svg+xml,${encodeURIComponent(svg.replace("</svg>", dot))}`;
}

/** Until the microphone is closed: call what it returns, once. */
export function showRecording(): () => void {
  openMicrophones++;
  void draw();
  return () => {
    openMicrophones--;
    void draw();
  };
}

/** Until the tab is looked at. */
export function showReady(): void {
  if (!document.hidden) return;
  isReady = true;
  void draw();
  const looked = () => {
    if (document.hidden) return;
    document.removeEventListener("visibilitychange", looked);
    isReady = false;
    void draw();
  };
  document.addEventListener("visibilitychange", looked);
}
