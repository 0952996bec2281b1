/** The French catalogue: readers are addressed with "vous", buttons are infinitives. */
import type { Translations } from "../en/translation.ts";
import { controls } from "./controls.ts";
import { packages } from "./packages.ts";
import { setUp } from "./set-up.ts";
import { signIn } from "./sign-in.ts";

export const french: Translations = { controls, packages, setUp, signIn };
