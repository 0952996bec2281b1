"""Spoken turns of a Pipecat pipeline, with recognition and voices of a server of this project, and the stub of a language model.

Arguments: address and key of the server, address of the stub, a recording (16-bit mono at 16 kHz), turns. Prints how many
milliseconds after the last sample of speech the first sound of each answer came, as JSON.
"""

import asyncio
import json
import sys
import time

from loguru import logger
from pipecat.audio.vad.silero import SileroVADAnalyzer
from pipecat.audio.vad.vad_analyzer import VADParams
from pipecat.frames.frames import (
    CancelFrame,
    InputAudioRawFrame,
    TTSAudioRawFrame,
    TTSStoppedFrame,
)
from pipecat.pipeline.pipeline import Pipeline
from pipecat.pipeline.worker import PipelineParams, PipelineWorker
from pipecat.processors.aggregators.llm_context import LLMContext
from pipecat.processors.aggregators.llm_response_universal import (
    LLMContextAggregatorPair,
    LLMUserAggregatorParams,
)
from pipecat.processors.frame_processor import FrameProcessor
from pipecat.services.openai.llm import OpenAILLMService
from pipecat.services.openai.stt import OpenAIRealtimeSTTService
from pipecat.services.openai.tts import OpenAITTSService
from pipecat.turns.user_stop import SpeechTimeoutUserTurnStopStrategy
from pipecat.turns.user_turn_strategies import UserTurnStrategies
from pipecat.workers.runner import WorkerRunner

RATE = 16_000
FRAME_SECONDS = 0.02
FRAME_BYTES = int(RATE * FRAME_SECONDS) * 2
VAD_STOP_SECONDS = 0.2
PAUSE_SECONDS = 0.5  # the same as of server_vad
QUIET = bytes(FRAME_BYTES)


class Ear(FrameProcessor):
    """Hears when the first sound of an answer comes, and when the answer is over."""

    def __init__(self):
        super().__init__()
        self.first = None
        self.over = asyncio.Event()

    async def process_frame(self, frame, direction):
        await super().process_frame(frame, direction)
        if isinstance(frame, TTSAudioRawFrame) and self.first is None:
            self.first = time.monotonic()
        if isinstance(frame, TTSStoppedFrame):
            self.over.set()
        await self.push_frame(frame, direction)


def pipeline_of(url, key, stub, ear):
    stt = OpenAIRealtimeSTTService(
        api_key=key,
        base_url=url.replace("http", "ws") + "/v1/realtime",
        settings=OpenAIRealtimeSTTService.Settings(model="svc-stt1"),
    )
    llm = OpenAILLMService(
        api_key="none",
        base_url=f"{stub}/v1",
        settings=OpenAILLMService.Settings(
            model="echo", system_instruction="You are a helpful assistant."
        ),
    )
    tts = OpenAITTSService(
        api_key=key,
        base_url=f"{url}/v1",
        settings=OpenAITTSService.Settings(model="tts-1", voice="alloy"),
    )
    stop = SpeechTimeoutUserTurnStopStrategy(user_speech_timeout=PAUSE_SECONDS - VAD_STOP_SECONDS)
    user, assistant = LLMContextAggregatorPair(
        LLMContext(),
        user_params=LLMUserAggregatorParams(
            vad_analyzer=SileroVADAnalyzer(params=VADParams(stop_secs=VAD_STOP_SECONDS)),
            user_turn_strategies=UserTurnStrategies(stop=[stop]),
            empty_user_turn=None,
        ),
    )
    return Pipeline([stt, user, llm, tts, ear, assistant])


async def speak(worker, frames, begun):
    for index, audio in enumerate(frames):
        await asyncio.sleep(max(0, begun + index * FRAME_SECONDS - time.monotonic()))
        await worker.queue_frame(InputAudioRawFrame(audio, RATE, 1))


async def turns(worker, ear, recording, count):
    frames = [recording[at : at + FRAME_BYTES] for at in range(0, len(recording), FRAME_BYTES)]
    found = []
    await speak(worker, [QUIET] * 150, time.monotonic())
    for _ in range(count):
        ear.first = None
        ear.over.clear()
        await speak(worker, frames, time.monotonic())
        spoken = time.monotonic()
        while not ear.over.is_set() and time.monotonic() < spoken + 30:
            await speak(worker, [QUIET], time.monotonic() + FRAME_SECONDS)
        found.append(None if ear.first is None else (ear.first - spoken) * 1000)
        await speak(worker, [QUIET] * 50, time.monotonic())
    await worker.queue_frame(CancelFrame())
    return found


async def main(url, key, stub, path, count):
    logger.remove()
    logger.add(sys.stderr, level="WARNING")
    ear = Ear()
    params = PipelineParams(audio_in_sample_rate=RATE, audio_out_sample_rate=24_000)
    worker = PipelineWorker(pipeline_of(url, key, stub, ear), params=params)
    runner = WorkerRunner(handle_sigint=False)
    await runner.add_workers(worker)
    running = asyncio.create_task(runner.run())
    await asyncio.sleep(1)
    with open(path, "rb") as file:
        found = await turns(worker, ear, file.read(), int(count))
    await asyncio.wait([running], timeout=5)
    print(json.dumps(found))


asyncio.run(main(*sys.argv[1:]))
