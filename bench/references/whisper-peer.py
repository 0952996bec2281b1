"""Whisper by faster-whisper, for whisper-peers: a line of JSON in, a line of JSON out.

    whisper-peer.py THREADS FOLDER
"""

import json
import sys
import time
from concurrent.futures import ThreadPoolExecutor

BEGUN = time.monotonic()

import numpy
from faster_whisper import WhisperModel

THREADS, FOLDER = int(sys.argv[1]), sys.argv[2]
MODEL = WhisperModel(FOLDER, device="cpu", compute_type="float32", cpu_threads=THREADS)


def words_of(path, vad):
    """Of samples at 16 kHz, as floats in a file."""
    samples = numpy.fromfile(path, dtype=numpy.float32)
    segments, _ = MODEL.transcribe(
        samples, language="en", beam_size=1, word_timestamps=True, vad_filter=vad
    )
    return [
        {"text": word.word.strip(), "start": word.start, "end": word.end}
        for segment in segments
        for word in segment.words
    ]


def answer(task):
    begun = time.monotonic()
    with ThreadPoolExecutor(len(task["paths"])) as pool:
        texts = list(pool.map(lambda path: words_of(path, task["vad"]), task["paths"]))
    return {"seconds": time.monotonic() - begun, "texts": texts}


print(json.dumps({"loadSeconds": time.monotonic() - BEGUN}), flush=True)
for line in sys.stdin:
    print(json.dumps(answer(json.loads(line))), flush=True)
