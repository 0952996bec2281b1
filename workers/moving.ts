/** Results whose samples move to the thread that asked, and are not copied. */
import { move, transferableSymbol, valueSymbol } from "piscina";

/** `value` as it is, with the buffer that moves. */
export const moving = <T>(value: T, buffer: ArrayBufferLike): T =>
  move({ [transferableSymbol]: [buffer], [valueSymbol]: value } as never) as unknown as T;
