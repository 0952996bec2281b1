"""
An agent of LiveKit in Python that converses: a line of JSON in, a line of JSON out, one task at a time. Arguments: base URL, key.
The tasks are those of livekit-conversations.mjs.
"""

import asyncio
import base64
import json
import logging
import sys
import time

from livekit import rtc
from livekit.agents import Agent, AgentSession, function_tool, llm
from livekit.agents.voice import io
from livekit.plugins import openai

URL, KEY = sys.argv[1:3]
RATE = 24_000
FRAME = RATE // 10
UNHEARD_SECONDS = 3.5  # of an answer, in which the framework hears nothing by default: echo cancellation warms up


logging.basicConfig(stream=sys.stdout, level=logging.ERROR)


class Microphone(io.AudioInput):
    """Sends what is spoken at the pace of speech, and silence otherwise."""

    def __init__(self):
        super().__init__(label="microphone")
        self.spoken = bytearray()

    async def __anext__(self):
        await asyncio.sleep(0.1)
        sound = bytes(self.spoken[: 2 * FRAME]).ljust(2 * FRAME, b"\0")
        del self.spoken[: 2 * FRAME]
        return rtc.AudioFrame(sound, RATE, 1, FRAME)


class Speaker(io.AudioOutput):
    """Plays at the pace of speech."""

    def __init__(self):
        super().__init__(
            label="speaker", capabilities=io.AudioOutputCapabilities(pause=False), sample_rate=RATE
        )
        self.seconds = 0.0
        self.begun = None
        self.pushed = 0.0
        self.end = None

    async def capture_frame(self, frame):
        await super().capture_frame(frame)
        if self.begun is None:
            self.begun = time.time()
            self.on_playback_started(created_at=self.begun)
        self.pushed += frame.duration
        self.seconds += frame.duration

    def flush(self):
        super().flush()
        if self.begun is not None:
            wait = max(0, self.begun + self.pushed - time.time())
            self.end = asyncio.get_running_loop().call_later(wait, self.finish, False)

    def clear_buffer(self):
        if self.begun is not None:
            self.finish(True)

    def finish(self, interrupted):
        if self.end:
            self.end.cancel()
        played = min(time.time() - self.begun, self.pushed)
        self.begun, self.pushed, self.end = None, 0.0, None
        self.on_playback_finished(playback_position=played, interrupted=interrupted)


class Call:
    """An agent in conversation, with nothing set but the address and the key."""

    def __init__(self, tools=()):
        self.microphone, self.speaker = Microphone(), Speaker()
        self.model = openai.realtime.RealtimeModel(base_url=URL, api_key=KEY)
        self.session = AgentSession(llm=self.model)
        self.agent = Agent(instructions="Be kind.", tools=list(tools))
        self.items, self.errors = [], []
        self.session.on("conversation_item_added", lambda event: self.items.append(event.item))
        self.session.on("error", lambda event: self.errors.append(str(event.error)))

    async def __aenter__(self):
        self.session.input.audio = self.microphone
        self.session.output.audio = self.speaker
        await self.session.start(self.agent)
        return self

    async def __aexit__(self, *_):
        await self.session.aclose()
        await self.model.aclose()

    def texts(self, role):
        return [
            item.text_content
            for item in self.items
            if item.type == "message" and item.role == role and item.text_content
        ]

    def result(self, **more):
        return {
            "heard": self.texts("user"),
            "said": self.texts("assistant"),
            "seconds": self.speaker.seconds,
            "errors": self.errors,
            **more,
        }


async def until(look):
    while not look():
        await asyncio.sleep(0.01)


async def write(text):
    async with Call() as call:
        call.session.generate_reply(user_input=text)
        await until(lambda: call.texts("assistant"))
        return call.result()


async def speak(sound):
    async with Call() as call:
        call.microphone.spoken += base64.b64decode(sound)
        await until(lambda: call.texts("assistant"))
        return call.result()


async def use_tool(text):
    cities = []

    @function_tool
    async def weather(city: str) -> str:
        """The weather of a city."""
        cities.append(city)
        return f"sunny in {city}"

    async with Call([weather]) as call:
        call.session.generate_reply(user_input=text)
        await until(lambda: call.texts("assistant"))
        return call.result(cities=cities)


async def interrupt(text, sound):
    """Speaks while the answer to the text is played, and waits for the next."""
    async with Call() as call:
        call.session.generate_reply(user_input=text)
        await until(lambda: call.speaker.begun and time.time() - call.speaker.begun > UNHEARD_SECONDS)
        call.microphone.spoken += base64.b64decode(sound)
        await until(lambda: len(call.texts("assistant")) == 2)
        return call.result(interrupted=[item.interrupted for item in call.items if item.type == "message"])


class Live:
    """The session of the model alone, without the framework around it."""

    def __init__(self):
        self.model = openai.realtime.RealtimeModel(base_url=URL, api_key=KEY)
        self.session = self.model.session()
        self.events, self.errors = [], []
        self.session.on("error", lambda event: self.errors.append(str(event.error)))
        self.session.on("openai_server_event_received", self.events.append)

    async def __aenter__(self):
        return self

    async def __aexit__(self, *_):
        await self.session.aclose()
        await self.model.aclose()

    def of(self, kind):
        return [event for event in self.events if event["type"] == kind]

    async def read(self, generation):
        """The text of its message, its sound in seconds, and the id of the message."""
        async for message in generation.message_stream:
            text = "".join([str(delta) async for delta in message.text_stream])
            seconds = sum([frame.duration async for frame in message.audio_stream])
            return {"text": text, "seconds": seconds, "id": message.message_id}


async def generate(instructions):
    @function_tool
    async def weather(city: str) -> str:
        """The weather of a city."""
        return city

    async with Live() as live:
        begun = time.monotonic()
        await live.session.update_instructions("Be kind.")
        await live.session.update_tools([weather])
        answer = await live.read(await live.session.generate_reply(instructions=instructions))
        created = live.of("response.created")[0]["response"]
        return {
            **answer,
            "errors": live.errors,
            "elapsed": time.monotonic() - begun,
            "metadata": created["metadata"],
        }


async def follow():
    """A context of a question, a call and what it returned."""
    async with Live() as live:
        context = llm.ChatContext.empty()
        question = context.add_message(role="user", content="What is the weather?")
        call = llm.FunctionCall(call_id="call_1", name="weather", arguments='{"city":"Oslo"}')
        output = llm.FunctionCallOutput(call_id="call_1", name="weather", output="sunny", is_error=False)
        context.items += [call, output]
        await live.session.update_chat_ctx(context)
        added = [[e["item"]["id"], e["previous_item_id"]] for e in live.of("conversation.item.added")]
        answer = await live.read(await live.session.generate_reply())
        ids = [question.id, call.id, output.id]
        return {**answer, "errors": live.errors, "ids": ids, "added": added}


async def truncate(sound, audio_end_ms):
    """Speaks, interrupts the answer, and says how much of it was played."""
    async with Live() as live:
        generations = asyncio.Queue()
        live.session.on("generation_created", generations.put_nowait)
        spoken = base64.b64decode(sound)
        live.session.push_audio(rtc.AudioFrame(spoken, RATE, 1, len(spoken) // 2))
        generation = await generations.get()
        await until(lambda: len(live.of("response.output_audio.delta")) > 20)
        live.session.interrupt()
        answer = await live.read(generation)
        live.session.truncate(
            message_id=answer["id"], modalities=["audio", "text"], audio_end_ms=audio_end_ms
        )
        await until(lambda: live.of("conversation.item.truncated"))
        done = live.of("response.done")[0]["response"]
        cut = live.of("conversation.item.truncated")[0]["audio_end_ms"]
        next_answer = await live.read(await live.session.generate_reply())
        return {
            **answer,
            "errors": live.errors,
            "status": done["status"],
            "cut": cut,
            "next": next_answer["text"],
        }


TASKS = {
    task.__name__: task for task in [write, speak, use_tool, interrupt, generate, follow, truncate]
}


async def main():
    loop = asyncio.get_running_loop()
    while line := await loop.run_in_executor(None, sys.stdin.readline):
        task, *arguments = json.loads(line)
        print(json.dumps({"answer": await TASKS[task](*arguments)}), flush=True)


asyncio.run(main())
