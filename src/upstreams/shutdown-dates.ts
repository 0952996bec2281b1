/** The models of upstreams that their vendors switch off on a day that is known, and the names of clients that lead to them. */
import type { Alias } from "../models/aliases.ts";
import type { UsableDefinition } from "./definition.ts";

/** `names`: aliases, besides the model's own id. `shutdownDate`: the first day without it, as `2027-01-06`. */
export type EndingModel = { upstream: string; model: string; names: string[]; shutdownDate: string };

/** Null where none is known. `model`: the server's own name of it. */
export function shutdownDateOf(
  { preset: { shutdown_dates: dates = {} } }: Pick<UsableDefinition, "preset">,
  model: string,
): string | null {
  return Object.hasOwn(dates, model) ? dates[model]! : null;
}

/** The names that lead to a model. */
export const namesFor = (aliases: readonly Alias[], model: string): string[] =>
  aliases.filter(({ kind, targets }) => kind !== "voice" && targets.includes(model)).map(({ name }) => name);

/** Those that end first lead. */
export const endingModels = (
  upstreams: readonly UsableDefinition[],
  aliases: readonly Alias[],
): EndingModel[] =>
  upstreams
    .flatMap((upstream) =>
      upstream.definition.models.flatMap(({ model, upstream_model }) => {
        const shutdownDate = shutdownDateOf(upstream, upstream_model);
        const names = namesFor(aliases, model);
        return shutdownDate === null
          ? []
          : [{ upstream: upstream.definition.name, model, names, shutdownDate }];
      }),
    )
    .toSorted((a, b) => a.shutdownDate.localeCompare(b.shutdownDate));
