"""Speech by stock clients of ElevenLabs and Deepgram: a line of JSON for each call, with what came of it.

    python speech_clients.py ROOT KEY
"""
import asyncio
import json
import sys
import threading
import traceback

import aiohttp

ROOT, KEY = sys.argv[1:3]
WS = ROOT.replace("http", "ws", 1)
VOICE = "female-warm"
TEXT = "Good morning, dear world. How are you today?"


def tell(client, call, **outcome):
    print(json.dumps({"name": f"{client} {call}", **outcome}), flush=True)


async def run(client, call, work):
    try:
        tell(client, call, bytes=await asyncio.wait_for(work(), 60))
    except Exception as error:
        where = traceback.extract_tb(error.__traceback__)[-1]
        tell(client, call, failed=f"{type(error).__name__}: {str(error)[:300]} [{where.filename}:{where.lineno}]")


def blocking(work):
    return lambda: asyncio.to_thread(work)


async def elevenlabs_sdk():
    from elevenlabs import VoiceSettings
    from elevenlabs.client import AsyncElevenLabs, ElevenLabs

    client = ElevenLabs(base_url=ROOT, api_key=KEY)
    speech = client.text_to_speech
    length = lambda chunks: len(b"".join(chunks))
    formats = "mp3_22050_32 mp3_44100_128 pcm_16000 pcm_24000 ulaw_8000 opus_48000_64 wav_24000".split()
    await run("elevenlabs", "convert", blocking(lambda: length(speech.convert(VOICE, text=TEXT))))
    settings = VoiceSettings(stability=0.5, similarity_boost=0.75, speed=1.1)
    full = dict(voice_settings=settings, seed=1, previous_text="a", next_text="b", language_code="en")
    await run("elevenlabs", "convert, with settings", blocking(lambda: length(speech.convert(VOICE, text=TEXT, **full))))
    for name in formats:
        await run("elevenlabs", f"convert, {name}", blocking(lambda: length(speech.convert(VOICE, text=TEXT, output_format=name))))
    await run("elevenlabs", "stream", blocking(lambda: length(speech.stream(VOICE, text=TEXT, optimize_streaming_latency=3))))

    def timed():
        answer = speech.convert_with_timestamps(VOICE, text=TEXT)
        assert "".join(answer.alignment.characters) == TEXT
        return len(answer.audio_base_64)

    def timed_stream():
        parts = list(speech.stream_with_timestamps(VOICE, text=TEXT))
        assert "".join(c for part in parts if part.alignment for c in part.alignment.characters) == TEXT
        return sum(len(part.audio_base_64) for part in parts)

    await run("elevenlabs", "convert_with_timestamps", blocking(timed))
    await run("elevenlabs", "stream_with_timestamps", blocking(timed_stream))

    def realtime():
        speech._ws_base_url = WS  # it would be wss
        words = iter(["Hello there, ", "how are you today? ", "I am fine."])
        return length(speech.convert_realtime(VOICE, text=words, output_format="pcm_24000", voice_settings=settings))

    await run("elevenlabs", "convert_realtime", blocking(realtime))

    async def streamed():
        chunks = AsyncElevenLabs(base_url=ROOT, api_key=KEY).text_to_speech.stream(VOICE, text=TEXT)
        return sum([len(chunk) async for chunk in chunks])

    await run("elevenlabs", "async stream", streamed)


async def deepgram_sdk():
    from deepgram import DeepgramClient
    from deepgram.core.events import EventType
    from deepgram.environment import DeepgramClientEnvironment
    from deepgram.speak.v1.types import SpeakV1Text

    environment = DeepgramClientEnvironment(base=ROOT, production=WS, agent=WS, agent_rest=ROOT)
    client = DeepgramClient(api_key=KEY, environment=environment)
    generate = lambda **options: blocking(lambda: len(b"".join(client.speak.v1.audio.generate(text=TEXT, **options))))
    await run("deepgram-sdk", "speak.v1.audio.generate", generate())
    linear = dict(model=VOICE, encoding="linear16", sample_rate=24000, container="none")
    await run("deepgram-sdk", "generate, linear16", generate(**linear))
    await run("deepgram-sdk", "generate, mp3 of 48 kbit/s", generate(encoding="mp3", bit_rate=48000))
    await run("deepgram-sdk", "generate, mulaw", generate(encoding="mulaw", sample_rate=8000))

    def live():
        got, flushed = [], threading.Event()

        def told(message):
            got.append(message)
            if getattr(message, "type", None) == "Flushed":
                flushed.set()

        with client.speak.v1.connect(model=VOICE, encoding="linear16", sample_rate=24000) as connection:
            connection.on(EventType.MESSAGE, told)
            listening = threading.Thread(target=connection.start_listening, daemon=True)
            listening.start()
            connection.send_text(SpeakV1Text(text="Hello there."))
            connection.send_text(SpeakV1Text(text=" How are you?"))
            connection.send_flush()
            assert flushed.wait(10)
            connection.send_clear()
            connection.send_close()
            listening.join(5)
        types = [getattr(message, "type", "bytes") for message in got]
        assert types[0] == "Metadata" and types[-1] == "Cleared", types
        return sum(len(message) for message in got if isinstance(message, bytes))

    await run("deepgram-sdk", "speak.v1.connect", blocking(live))


async def livekit_plugins():
    from livekit.plugins import deepgram, elevenlabs

    async def whole(tts):
        return sum([len(event.frame.data) async for event in tts.synthesize(TEXT)])

    async def streamed(tts):
        stream = tts.stream()
        for word in TEXT.split(" "):
            stream.push_text(f"{word} ")
        stream.end_input()
        return sum([len(event.frame.data) async for event in stream])

    async with aiohttp.ClientSession() as session:
        both = dict(api_key=KEY, http_session=session)
        speakers = {
            "elevenlabs": elevenlabs.TTS(base_url=f"{ROOT}/v1", voice_id=VOICE, model="svc-tts1", **both),
            "elevenlabs, pcm": elevenlabs.TTS(base_url=f"{ROOT}/v1", voice_id=VOICE, model="svc-tts1", encoding="pcm_16000", **both),
            "deepgram": deepgram.TTS(base_url=f"{ROOT}/v1/speak", model=VOICE, **both),
        }
        for name, tts in speakers.items():
            await run("livekit-agents", f"{name}: synthesize", lambda: whole(tts))
            await run("livekit-agents", f"{name}: stream", lambda: streamed(tts))
            await run("livekit-agents", f"{name}: stream again", lambda: streamed(tts))
            await tts.aclose()


async def pipecat_services():
    from pipecat.frames.frames import ErrorFrame, TTSAudioRawFrame, TTSSpeakFrame, TTSStoppedFrame
    from pipecat.services.deepgram.tts import DeepgramHttpTTSService, DeepgramTTSService
    from pipecat.services.elevenlabs.tts import ElevenLabsHttpTTSService, ElevenLabsTTSService
    from pipecat.tests.utils import SleepFrame, run_test

    async def spoken(tts):
        frames, _ = await run_test(tts, frames_to_send=[TTSSpeakFrame(TEXT), SleepFrame(3)])
        errors = [frame for frame in frames if isinstance(frame, ErrorFrame)]
        assert not errors, errors
        return sum(len(frame.audio) for frame in frames if isinstance(frame, TTSAudioRawFrame))

    async with aiohttp.ClientSession() as session:
        eleven = lambda kind: kind.Settings(voice=VOICE, model="svc-tts1")
        services = {
            "ElevenLabsTTSService": lambda: ElevenLabsTTSService(api_key=KEY, url=WS, sample_rate=24000, settings=eleven(ElevenLabsTTSService)),
            "ElevenLabsHttpTTSService": lambda: ElevenLabsHttpTTSService(api_key=KEY, base_url=ROOT, aiohttp_session=session, sample_rate=24000, settings=eleven(ElevenLabsHttpTTSService)),
            "DeepgramTTSService": lambda: DeepgramTTSService(api_key=KEY, base_url=WS, sample_rate=24000, settings=DeepgramTTSService.Settings(voice=VOICE)),
            "DeepgramHttpTTSService": lambda: DeepgramHttpTTSService(api_key=KEY, base_url=ROOT, aiohttp_session=session, sample_rate=24000, settings=DeepgramHttpTTSService.Settings(voice=VOICE)),
        }
        for name, open_service in services.items():
            await run("pipecat-ai", name, lambda: spoken(open_service()))


async def main():
    for clients in (elevenlabs_sdk, deepgram_sdk, livekit_plugins, pipecat_services):
        try:
            await clients()
        except Exception as error:
            tell(clients.__name__, "import", failed=f"{type(error).__name__}: {error}")


asyncio.run(main())
