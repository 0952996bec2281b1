/** The signal of the goldens: a gliding voice-like tone with a little noise, two seconds at 16 kHz. */
export function goldenSignal(): Float32Array {
  const signal = new Float32Array(32_123);
  let phase = 0;
  let noise = 12_345;
  for (let at = 0; at < signal.length; at++) {
    phase += 120 + 60 * Math.sin((2 * Math.PI * 3 * at) / 16_000);
    const p = (2 * Math.PI * phase) / 16_000;
    noise = (Math.imul(noise, 1_664_525) + 1_013_904_223) >>> 0;
    signal[at] =
      0.3 * Math.sin(p) + 0.2 * Math.sin(2 * p) + 0.1 * Math.sin(5 * p) + 0.02 * (noise / 2 ** 32 - 0.5);
  }
  return signal;
}
