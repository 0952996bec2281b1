/** Samples of 16 bits as the base64 text of realtime events. Pure. */

/** From the microphone, and for the loudspeaker. */
export type Samples = Int16Array<ArrayBuffer>;

export function toBase64(samples: Samples): string {
  let binary = "";
  for (const byte of new Uint8Array(samples.buffer)) binary += String.fromCharCode(byte);
  return btoa(binary);
}

export const fromBase64 = (text: string): Samples =>
  new Int16Array(Uint8Array.from(atob(text), (character) => character.charCodeAt(0)).buffer);
