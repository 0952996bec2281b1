/**
 * What files are: the graphs among them are told apart by their inputs, never by their names.
 *
 *   a path ──files beside it──> graphs ──by inputs──> Piper, Kokoro or Whisper, checked as far as files can be
 */
import { basename, join } from "node:path";
import type { ModelFile } from "../../onnx/model-file.ts";
import { type FileList, filesAt, graphAt, LocalFilesError, namesOf } from "./file-list.ts";
import { isKokoro, kokoroModel } from "./kokoro-files.ts";
import { type LocalModel, precisionOf } from "./local-model.ts";
import { otherGraph, otherLayout } from "./other-layouts.ts";
import { isPiper, piperModel } from "./piper-files.ts";
import { isWhisperDecoder, isWhisperEncoder, whisperModel } from "./whisper-files.ts";

/** Refuses what is no model of a family that can be brought, by what it is. */
export function modelAt(path: string): LocalModel {
  const list = filesAt(path);
  const paths = graphsOf(list);
  if (paths.length === 0) throw new LocalFilesError(otherLayout(list) ?? nothingIn(path));
  const graphs = new Map(paths.map((each) => [each, graphAt(list.root, each)]));
  const pathsWhere = (is: (graph: ModelFile) => boolean) => paths.filter((each) => is(graphs.get(each)!));
  const [encoders, decoders] = [pathsWhere(isWhisperEncoder), pathsWhere(isWhisperDecoder)];
  const [piper, kokoro] = [pathsWhere(isPiper), pathsWhere(isKokoro)];
  if (piper.length + kokoro.length === 0 && encoders.length + decoders.length > 0)
    return whisperModel(list, { encoders, decoders });
  if (piper.length > 0 && kokoro.length > 0)
    throw new LocalFilesError(`${path} has a Piper voice and Kokoro: name one of ${paths.join(", ")}.`);
  if (piper.length > 0) return ofOne(piper, (one) => piperModel(list, one, graphs.get(one)!));
  if (kokoro.length > 0) return ofOne(kokoro, (one) => kokoroModel(list, one, graphs.get(one)!));
  throw new LocalFilesError(unknownGraphs(list, graphs));
}

/** Of several precisions of one model the exact one. */
function ofOne(paths: string[], model: (path: string) => LocalModel): LocalModel {
  const stems = new Set(paths.map((path) => precisionOf(path).stem));
  if (stems.size > 1)
    throw new LocalFilesError(`There are ${paths.length} models: name one of ${paths.join(", ")}.`);
  const sorted = paths.toSorted((a, b) => precisionOf(a).rank - precisionOf(b).rank);
  const found = model(sorted[0]!);
  if (sorted.length === 1) return found;
  const remark = `Of ${sorted.map((each) => basename(each)).join(", ")} the first is taken; name another to have that.`;
  return { ...found, remarks: [...found.remarks, remark] };
}

/** The one that was named, or the one whose configuration was; a half of Whisper brings the other. */
function graphsOf({ root, files, chosen }: FileList): string[] {
  const all = files.filter((path) => path.endsWith(".onnx"));
  const model = chosen?.replace(/(\.onnx)?\.json$/, ".onnx");
  if (chosen === null || model === undefined || !all.includes(model)) return all;
  const graph = graphAt(root, model);
  return isWhisperEncoder(graph) || isWhisperDecoder(graph) ? all : [model];
}

function unknownGraphs({ root }: FileList, graphs: ReadonlyMap<string, ModelFile>): string {
  for (const [path, graph] of graphs) {
    const known = otherGraph(path, graph);
    if (known) return known;
  }
  const [[path, { inputs }]] = [...graphs] as [[string, ModelFile]];
  return `${join(root, path)} cannot be told from its files: its inputs are ${namesOf(inputs).join(", ")}. For other families write a manifest, as docs/models.md describes, and add that.`;
}

const nothingIn = (path: string) =>
  `${path} has no .onnx file. A Piper voice is NAME.onnx and NAME.onnx.json; Kokoro its .onnx and voices-v1.0.bin; Whisper a folder with encoder_model.onnx and decoder_model_merged.onnx.`;
