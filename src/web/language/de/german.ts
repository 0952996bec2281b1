/** The German catalogue: readers are addressed with "Sie". */
import type { Translations } from "../en/translation.ts";
import { controls } from "./controls.ts";
import { frame } from "./frame.ts";
import { packages } from "./packages.ts";
import { setUp } from "./set-up.ts";
import { signIn } from "./sign-in.ts";
import { speak } from "./speak.ts";

export const german: Translations = { controls, frame, packages, setUp, signIn, speak };
