/** The German catalogue: readers are addressed with "Sie". */
import type { Translations } from "../en/translation.ts";
import { controls } from "./controls.ts";
import { frame } from "./frame.ts";
import { library } from "./library.ts";
import { live } from "./live.ts";
import { packages } from "./packages.ts";
import { setUp } from "./set-up.ts";
import { signIn } from "./sign-in.ts";
import { speak } from "./speak.ts";
import { transcribe } from "./transcribe.ts";

export const german: Translations = {
  controls,
  frame,
  library,
  live,
  packages,
  setUp,
  signIn,
  speak,
  transcribe,
};
