/** `loquat completion`: the script by which a shell completes commands, options and values. */
import { Argument, type Command, type CommandUnknownOpts } from "@commander-js/extra-typings";
import { addDetails } from "../base/details.ts";
import { bashScript } from "./bash.ts";
import { fishScript } from "./fish.ts";
import { type CommandNode, commandNodes } from "./tree.ts";
import { zshScript } from "./zsh.ts";

const SCRIPTS: Record<"bash" | "zsh" | "fish", (nodes: CommandNode[]) => string> = {
  bash: bashScript,
  zsh: zshScript,
  fish: fishScript,
};

/** `program` gives every command in full. */
export function completion(command: Command, program: () => Promise<CommandUnknownOpts>): void {
  const shells = Object.keys(SCRIPTS) as (keyof typeof SCRIPTS)[];
  command
    .addArgument(new Argument("<shell>", "the shell").choices(shells))
    .action(async (shell) => void process.stdout.write(SCRIPTS[shell](commandNodes(await program()))));
  addDetails(
    command,
    `For this session:
  source <(loquat completion bash)
  source <(loquat completion zsh)
  loquat completion fish | source`,
  );
}
