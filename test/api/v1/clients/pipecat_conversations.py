"""
A bot of Pipecat that converses: a line of JSON in, a line of JSON out, one task at a time. Arguments: URL of the realtime
socket, key. It is built as `realtime-openai.py` and `realtime-openai-locally-driven-turns.py` of Pipecat's examples.
"""

import asyncio
import base64
import json
import sys
import time

from loguru import logger

logger.remove()
logger.add(sys.stdout, level="ERROR", format="{message}")

from pipecat.audio.vad.silero import SileroVADAnalyzer  # noqa: E402
from pipecat.audio.vad.vad_analyzer import VADParams  # noqa: E402
from pipecat.frames.frames import (  # noqa: E402
    InputAudioRawFrame,
    LLMRunFrame,
    StartFrame,
    TTSAudioRawFrame,
)
from pipecat.pipeline.pipeline import Pipeline  # noqa: E402
from pipecat.pipeline.worker import PipelineParams, PipelineWorker  # noqa: E402
from pipecat.processors.aggregators.llm_context import LLMContext  # noqa: E402
from pipecat.processors.aggregators.llm_response_universal import (  # noqa: E402
    LLMContextAggregatorPair,
    LLMUserAggregatorParams,
)
from pipecat.services.llm_service import FunctionCallParams  # noqa: E402
from pipecat.services.openai.realtime.events import (  # noqa: E402
    AudioConfiguration,
    AudioInput,
    InputAudioNoiseReduction,
    InputAudioTranscription,
    SemanticTurnDetection,
    SessionProperties,
)
from pipecat.services.openai.realtime.llm import OpenAIRealtimeLLMService  # noqa: E402
from pipecat.transports.base_input import BaseInputTransport  # noqa: E402
from pipecat.transports.base_output import BaseOutputTransport  # noqa: E402
from pipecat.transports.base_transport import TransportParams  # noqa: E402
from pipecat.workers.runner import WorkerRunner  # noqa: E402

URL, KEY = sys.argv[1:3]
RATE = 24_000
FRAME = RATE // 50
SOUND = TransportParams(
    audio_in_enabled=True,
    audio_in_sample_rate=16_000,
    audio_out_enabled=True,
    audio_out_sample_rate=RATE,
)


class Microphone(BaseInputTransport):
    """Sends what is spoken at the pace of speech, and silence otherwise."""

    def __init__(self):
        super().__init__(SOUND)
        self.spoken = bytearray()
        self.sending = None

    async def start(self, frame: StartFrame):
        await super().start(frame)
        await self.set_transport_ready(frame)
        self.sending = self.create_task(self.send())

    async def send(self):
        begun = time.monotonic()
        for count in range(10**9):
            await asyncio.sleep(max(0, begun + count * FRAME / RATE - time.monotonic()))
            sound = bytes(self.spoken[: 2 * FRAME]).ljust(2 * FRAME, b"\0")
            del self.spoken[: 2 * FRAME]
            await self.push_audio_frame(InputAudioRawFrame(sound, RATE, 1))

    async def cleanup(self):
        if self.sending:
            await self.cancel_task(self.sending)
        await super().cleanup()


class Speaker(BaseOutputTransport):
    """Plays at the pace of speech."""

    def __init__(self):
        super().__init__(SOUND)
        self.seconds = 0.0
        self.begun = None

    async def start(self, frame: StartFrame):
        await super().start(frame)
        await self.set_transport_ready(frame)

    async def write_audio_frame(self, frame):
        if isinstance(frame, TTSAudioRawFrame):
            self.begun = self.begun or time.monotonic()
            seconds = len(frame.audio) / 2 / frame.sample_rate
            self.seconds += seconds
            await asyncio.sleep(seconds)
        return True


class Bot:
    """Answers `messages` first. `turns_of_server`: the server finds the ends of turns, not the bot."""

    def __init__(self, messages, tools=(), turns_of_server=True):
        self.microphone, self.speaker = Microphone(), Speaker()
        self.errors, self.heard, self.said = [], [], []
        hearing = AudioInput(
            transcription=InputAudioTranscription(),
            turn_detection=SemanticTurnDetection() if turns_of_server else False,
            noise_reduction=InputAudioNoiseReduction(type="near_field"),
        )
        llm = OpenAIRealtimeLLMService(
            api_key=KEY,
            base_url=URL,
            settings=OpenAIRealtimeLLMService.Settings(
                system_instruction="Be kind.",
                session_properties=SessionProperties(audio=AudioConfiguration(input=hearing)),
            ),
        )
        context = LLMContext(messages, list(tools))
        vad = None if turns_of_server else SileroVADAnalyzer(params=VADParams(stop_secs=0.5))
        user, assistant = LLMContextAggregatorPair(
            context, user_params=LLMUserAggregatorParams(vad_analyzer=vad)
        )
        pipeline = Pipeline([self.microphone, user, llm, self.speaker, assistant])
        self.worker = PipelineWorker(
            pipeline, params=PipelineParams(enable_metrics=True, enable_usage_metrics=True)
        )

        @self.worker.event_handler("on_pipeline_error")
        async def on_pipeline_error(_worker, frame):
            self.errors.append(frame.error)

        @user.event_handler("on_user_turn_message_added")
        async def on_user_turn_message_added(_aggregator, message):
            self.heard.append(message.content)

        @assistant.event_handler("on_assistant_turn_stopped")
        async def on_assistant_turn_stopped(_aggregator, message):
            if message.content:
                self.said.append(message.content)

    async def __aenter__(self):
        self.runner = WorkerRunner(handle_sigint=False)
        await self.runner.add_workers(self.worker)
        self.running = asyncio.create_task(self.runner.run())
        await self.worker.queue_frames([LLMRunFrame()])
        return self

    async def __aexit__(self, *_):
        await self.runner.cancel()
        await self.running

    async def speak(self, sound):
        self.microphone.spoken += base64.b64decode(sound)

    def result(self, **more):
        return {
            "heard": self.heard,
            "said": self.said,
            "seconds": self.speaker.seconds,
            "errors": self.errors,
            **more,
        }


async def until(look):
    while not look():
        await asyncio.sleep(0.01)


def asks(text):
    return [{"role": "user", "content": text}]


async def write(text):
    async with Bot(asks(text)) as bot:
        await until(lambda: bot.said)
        return bot.result()


async def speak(sound, turns_of_server):
    async with Bot([], turns_of_server=turns_of_server) as bot:
        await until(lambda: bot.said)
        await bot.speak(sound)
        await until(lambda: len(bot.said) == 2)
        return bot.result()


async def use_tool(text):
    cities = []

    async def weather(params: FunctionCallParams, city: str):
        """The weather of a city.

        Args:
            city: Its name.
        """
        cities.append(city)
        await params.result_callback(f"sunny in {city}")

    async with Bot(asks(text), [weather]) as bot:
        await until(lambda: bot.said)
        return bot.result(cities=cities)


async def interrupt(text, sound, turns_of_server):
    """Speaks while the answer to the text is played, and waits for the next."""
    async with Bot(asks(text), turns_of_server=turns_of_server) as bot:
        await until(lambda: bot.speaker.begun and time.monotonic() - bot.speaker.begun > 1)
        await bot.speak(sound)
        await until(lambda: len(bot.said) == 2)
        return bot.result()


async def recover(text, sound):
    """Speaks once the answer to the text has failed."""
    async with Bot(asks(text)) as bot:
        await until(lambda: bot.errors)
        await bot.speak(sound)
        await until(lambda: bot.said)
        return bot.result()


TASKS = {task.__name__: task for task in [write, speak, use_tool, interrupt, recover]}


async def main():
    loop = asyncio.get_running_loop()
    while line := await loop.run_in_executor(None, sys.stdin.readline):
        task, *arguments = json.loads(line)
        print(json.dumps({"answer": await TASKS[task](*arguments)}), flush=True)


asyncio.run(main())
