/** Silence as a WAV file of 16 kHz, 16 bit, mono. */

export function pcmWav(seconds: number): Buffer<ArrayBuffer> {
  const wav = Buffer.alloc(44 + 32_000 * seconds);
  wav.write("RIFF    WAVEfmt ", "latin1");
  wav.writeUInt32LE(wav.length - 8, 4);
  wav.writeUInt32LE(16, 16);
  wav.writeUInt16LE(1, 20); // PCM
  wav.writeUInt16LE(1, 22);
  wav.writeUInt32LE(16_000, 24);
  wav.writeUInt32LE(32_000, 28);
  wav.writeUInt16LE(2, 32);
  wav.writeUInt16LE(16, 34);
  wav.write("data", 36);
  wav.writeUInt32LE(wav.length - 44, 40);
  return wav;
}
