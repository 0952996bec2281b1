"""One voice of another implementation, for voice-peer.ts: a line of JSON in, a line of JSON out.

    voice-peer.py THREADS piper MODEL | voice-peer.py THREADS kokoro MODEL VOICES SPEAKER
"""

import asyncio
import json
import sys
import time
from concurrent.futures import ThreadPoolExecutor

BEGUN = time.monotonic()

import numpy
import onnxruntime


def session_of(path, threads):
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = threads
    return onnxruntime.InferenceSession(path, sess_options=options, providers=["CPUExecutionProvider"])


class Piper:
    def __init__(self, threads, model):
        from piper import PiperVoice
        from piper.config import PiperConfig

        with open(model + ".json", encoding="utf-8") as config:
            self.voice = PiperVoice(
                session=session_of(model, threads), config=PiperConfig.from_dict(json.load(config))
            )

    def phonemes(self, text):
        return " ".join("".join(sentence) for sentence in self.voice.phonemize(text))

    def chunks(self, text):
        for chunk in self.voice.synthesize(text):
            yield chunk.audio_float_array, chunk.sample_rate


class Kokoro:
    def __init__(self, threads, model, voices, speaker):
        from kokoro_onnx import Kokoro as Published

        self.voice = Published.from_session(session_of(model, threads), voices)
        self.speaker = speaker

    def phonemes(self, text):
        return self.voice.tokenizer.phonemize(text, "en-us")

    def chunks(self, text):
        stream = self.voice.create_stream(text, self.speaker, lang="en-us")
        loop = asyncio.new_event_loop()
        try:
            while True:
                yield loop.run_until_complete(anext(stream))
        except StopAsyncIteration:
            return
        finally:
            loop.close()


def speak(voice, text):
    begun = time.monotonic()
    first, parts, rate = None, [], 0
    for part, rate in voice.chunks(text):
        first = first or time.monotonic() - begun
        parts.append(numpy.asarray(part, dtype=numpy.float32))
    samples = numpy.concatenate(parts)
    return samples, {
        "rate": rate,
        "firstSeconds": first,
        "workSeconds": time.monotonic() - begun,
        "audioSeconds": len(samples) / rate,
    }


def answer(voice, task):
    if "phonemes" in task:
        return {"phonemes": voice.phonemes(task["phonemes"])}
    if "together" in task:
        texts = task["together"]
        begun = time.monotonic()
        with ThreadPoolExecutor(len(texts)) as callers:
            told = [each for _, each in callers.map(lambda text: speak(voice, text), texts)]
        seconds = time.monotonic() - begun
        return {"workSeconds": seconds, "audioSeconds": sum(each["audioSeconds"] for each in told)}
    samples, told = speak(voice, task["speak"])
    if "to" in task:
        samples.tofile(task["to"])
    return told


def main():
    threads, kind, *rest = sys.argv[1:]
    voice = {"piper": Piper, "kokoro": Kokoro}[kind](int(threads), *rest)
    print(json.dumps({"loadSeconds": time.monotonic() - BEGUN}), flush=True)
    for line in sys.stdin:
        print(json.dumps(answer(voice, json.loads(line))), flush=True)


main()
