/** What a catalogue holds: a text for each English message of an area. */
import type { controls } from "./controls.ts";
import type { frame } from "./frame.ts";
import type { library } from "./library.ts";
import type { live } from "./live.ts";
import type { packages } from "./packages.ts";
import type { setUp } from "./set-up.ts";
import type { signIn } from "./sign-in.ts";
import type { speak } from "./speak.ts";
import type { transcribe } from "./transcribe.ts";

/** The compiler names the messages that are missing, and those that are none of the area. */
type Translation<Area> = { readonly [Id in keyof Area]: string };

/** The areas that are translated. */
export type Translations = {
  controls: Translation<typeof controls>;
  frame: Translation<typeof frame>;
  library: Translation<typeof library>;
  live: Translation<typeof live>;
  packages: Translation<typeof packages>;
  setUp: Translation<typeof setUp>;
  signIn: Translation<typeof signIn>;
  speak: Translation<typeof speak>;
  transcribe: Translation<typeof transcribe>;
};
