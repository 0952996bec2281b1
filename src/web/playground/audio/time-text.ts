/** Positions in a recording, as text. Pure. */

/** 0:03.4, 12:05.0. */
export function clockTime(seconds: number): string {
  const tenths = Math.max(0, Math.round(seconds * 10));
  const rest = (tenths % 600) / 10;
  return `${Math.floor(tenths / 600)}:${rest.toFixed(1).padStart(4, "0")}`;
}

/** Whole seconds: 0:03, 12:05. */
export function timerText(seconds: number): string {
  const whole = Math.max(0, Math.floor(seconds));
  return `${Math.floor(whole / 60)}:${String(whole % 60).padStart(2, "0")}`;
}
