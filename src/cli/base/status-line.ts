/** One line about work in progress on standard error, rewritten in place: on a terminal only. */

const EVERY_MS = 100;

export function openStatusLine(output = process.stderr): Disposable & { show(text: string): void } {
  let drawnAt = Number.NEGATIVE_INFINITY;
  return {
    show(text) {
      if (!output.isTTY || performance.now() - drawnAt < EVERY_MS) return;
      output.write(`\r${text}\x1b[K`);
      drawnAt = performance.now();
    },
    [Symbol.dispose]() {
      if (drawnAt > 0) output.write("\r\x1b[K");
    },
  };
}

/** 0:05, 12:30, 1:02:03 */
export function clockText(seconds: number): string {
  const whole = Math.ceil(seconds);
  const [hours, minutes] = [Math.floor(whole / 3600), Math.floor((whole % 3600) / 60)];
  const end = `${hours > 0 ? String(minutes).padStart(2, "0") : minutes}:${String(whole % 60).padStart(2, "0")}`;
  return hours > 0 ? `${hours}:${end}` : end;
}
