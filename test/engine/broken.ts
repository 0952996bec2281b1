/** An engine whose files are damaged: it fails before its first task. */
export default function never(): void {}

throw new Error("the model could not be loaded");
