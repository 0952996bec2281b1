/** The German catalogue: readers are addressed with "Sie". */
import type { Translations } from "../en/translation.ts";
import { controls } from "./controls.ts";
import { packages } from "./packages.ts";
import { setUp } from "./set-up.ts";
import { signIn } from "./sign-in.ts";

export const german: Translations = { controls, packages, setUp, signIn };
