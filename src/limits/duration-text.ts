/** Formats durations for rate-limit headers: 20ms, 1.5s, 6m0s, 0s. */
export function goDuration(ms: number): string {
  const whole = Math.max(0, Math.ceil(ms));
  if (whole === 0) return "0s";
  if (whole < 1000) return `${whole}ms`;
  const seconds = (whole % 60_000) / 1000;
  const minutes = Math.floor(whole / 60_000) % 60;
  const hours = Math.floor(whole / 3_600_000);
  if (hours > 0) return `${hours}h${minutes}m${seconds}s`;
  return minutes > 0 ? `${minutes}m${seconds}s` : `${seconds}s`;
}
