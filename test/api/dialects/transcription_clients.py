"""
Stock clients of Deepgram and ElevenLabs in Python, one transcription call after another: a line of JSON each, with what
was heard or why it failed. Arguments: the server's URL, key, a recording in WAV (16 kHz, mono, 16 bits). TLS_HOST: where
the server is behind TLS, for what knows no other.
"""

import asyncio
import base64
import json
import os
import sys
import threading
import time
import wave

import aiohttp
from loguru import logger

logger.remove()

from deepgram import AsyncDeepgramClient, DeepgramClient  # noqa: E402
from deepgram.core.events import EventType  # noqa: E402
from deepgram.environment import DeepgramClientEnvironment  # noqa: E402
from elevenlabs.client import AsyncElevenLabs, ElevenLabs  # noqa: E402
from elevenlabs.realtime.connection import RealtimeEvents  # noqa: E402
from elevenlabs.realtime.scribe import AudioFormat, CommitStrategy  # noqa: E402
from livekit import rtc  # noqa: E402
from livekit.agents import stt as livekit_stt  # noqa: E402
from livekit.plugins import deepgram as livekit_deepgram  # noqa: E402
from livekit.plugins import elevenlabs as livekit_elevenlabs  # noqa: E402
from pipecat.frames.frames import (  # noqa: E402
    InputAudioRawFrame, TranscriptionFrame, VADUserStartedSpeakingFrame, VADUserStoppedSpeakingFrame,
)  # fmt: skip
from pipecat.services.deepgram.flux.stt import DeepgramFluxSTTService  # noqa: E402
from pipecat.services.deepgram.stt import DeepgramSTTService  # noqa: E402
from pipecat.services.elevenlabs.stt import CommitStrategy as PipecatStrategy  # noqa: E402
from pipecat.services.elevenlabs.stt import ElevenLabsRealtimeSTTService, ElevenLabsSTTService  # noqa: E402
from pipecat.tests.utils import SleepFrame, run_test  # noqa: E402

URL, KEY, PATH = sys.argv[1:4]
SOCKET_URL = URL.replace("http", "ws", 1)
MODEL = "svc-stt1"
RATE = 16_000
with wave.open(PATH) as recording:
    SAMPLES = recording.readframes(recording.getnframes())
with open(PATH, "rb") as file:
    WAV = file.read()
SPOKEN = SAMPLES + bytes(2 * RATE * 2)
STEP = RATE // 10 * 2
PARTS = [SPOKEN[at : at + STEP] for at in range(0, len(SPOKEN), STEP)]
ENVIRONMENT = DeepgramClientEnvironment(base=URL, production=SOCKET_URL, agent=SOCKET_URL, agent_rest=URL)
deepgram = DeepgramClient(api_key=KEY, environment=ENVIRONMENT)
elevenlabs = ElevenLabs(base_url=URL, api_key=KEY)
MANY = dict(
    smart_format=True, punctuate=True, diarize=True, utterances=True, language="en", keyterm=["river"],
    detect_language=True, paragraphs=True, numerals=True,
)  # fmt: skip


def transcribe_file(**options):
    answer = deepgram.listen.v1.media.transcribe_file(request=WAV, model=MODEL, **options)
    return answer.results.channels[0].alternatives[0].transcript


def listen_connect(chunks, **options):
    heard = []

    def keep(message):
        if getattr(message, "type", "") == "Error":
            raise AssertionError(message.description)
        if getattr(message, "type", "") == "Results" and message.is_final:
            heard.append(message.channel.alternatives[0].transcript)

    with deepgram.listen.v1.connect(model=MODEL, **options) as connection:
        connection.on(EventType.MESSAGE, keep)
        listening = threading.Thread(target=connection.start_listening, daemon=True)
        listening.start()
        for chunk in chunks:
            connection.send_media(chunk)
        connection.send_keep_alive()
        connection.send_finalize()
        connection.send_close_stream()
        listening.join(60)
        assert not listening.is_alive(), "the socket stays open"
    return " ".join(heard)


def turns_connect(**options):
    heard = []

    def keep(message):
        if message.type == "Error":
            raise AssertionError(message.description)
        if message.type == "TurnInfo" and message.event == "EndOfTurn":
            heard.append(message.transcript)

    with deepgram.listen.v2.connect(model="flux-general-en", encoding="linear16", sample_rate=RATE, **options) as connection:
        connection.on(EventType.MESSAGE, keep)
        listening = threading.Thread(target=connection.start_listening, daemon=True)
        listening.start()
        for chunk in PARTS:
            connection.send_media(chunk)
        connection.send_close_stream()
        listening.join(60)
        assert not listening.is_alive(), "the socket stays open"
    return " ".join(heard)


async def transcribe_async():
    client = AsyncDeepgramClient(access_token=KEY, environment=ENVIRONMENT)
    answer = await client.listen.v1.media.transcribe_file(request=WAV, model=MODEL)
    return answer.results.channels[0].alternatives[0].transcript


def convert(**options):
    return elevenlabs.speech_to_text.convert(model_id=MODEL, file=("a.wav", WAV, "audio/wav"), **options).text


async def realtime(strategy):
    client = AsyncElevenLabs(base_url=URL, api_key=KEY)
    connection = await client.speech_to_text.realtime.connect(
        {
            "model_id": MODEL, "audio_format": AudioFormat.PCM_16000, "sample_rate": RATE,
            "commit_strategy": CommitStrategy(strategy), "language_code": "en", "include_timestamps": True,
            **({"vad_silence_threshold_secs": 0.5} if strategy == "vad" else {}),
        }
    )  # fmt: skip
    heard = asyncio.get_running_loop().create_future()
    connection.on(RealtimeEvents.COMMITTED_TRANSCRIPT_WITH_TIMESTAMPS, lambda told: heard.done() or heard.set_result(told["text"]))
    connection.on(RealtimeEvents.ERROR, lambda told: heard.done() or heard.set_exception(AssertionError(told["error"])))
    for part in PARTS:
        await connection.send({"audio_base_64": base64.b64encode(part).decode()})
    if strategy == "manual":
        await connection.commit()
    text = await asyncio.wait_for(heard, 60)
    await connection.close()
    return text


def frames():
    return [rtc.AudioFrame(part, RATE, 1, len(part) // 2) for part in PARTS]


async def livekit(made, streamed):
    async with aiohttp.ClientSession() as session:
        client = made(session)
        if not streamed:
            return (await client.recognize(frames())).alternatives[0].text
        stream = client.stream()
        for frame in frames():
            stream.push_frame(frame)
        stream.flush()
        heard = []

        async def read():
            async for event in stream:
                if event.type == livekit_stt.SpeechEventType.FINAL_TRANSCRIPT:
                    heard.append(event.alternatives[0].text)
                if heard and event.type in (
                    livekit_stt.SpeechEventType.END_OF_SPEECH, livekit_stt.SpeechEventType.FINAL_TRANSCRIPT,
                ):  # fmt: skip
                    return

        await asyncio.wait_for(read(), 60)
        await stream.aclose()
        return " ".join(heard)


async def heard_by_pipecat(service, first=SleepFrame(sleep=0)):
    """Pipecat's own VAD, which is not under test, says where speech begins and ends."""
    heard = []
    push = service.push_frame

    async def keep(frame, *direction):
        if isinstance(frame, TranscriptionFrame):
            heard.append(frame.text)
        await push(frame, *direction)

    service.push_frame = keep

    def frames():
        yield first
        yield VADUserStartedSpeakingFrame()
        for part in PARTS:
            yield InputAudioRawFrame(audio=part, sample_rate=RATE, num_channels=1)
        yield VADUserStoppedSpeakingFrame()
        for _ in range(120):
            if heard:
                return
            yield SleepFrame(sleep=0.5)

    await run_test(service, frames_to_send=frames())
    return " ".join(heard)


async def pipecat_turns():
    service = DeepgramFluxSTTService(
        api_key=KEY, url=f"{SOCKET_URL}/v2/listen", sample_rate=RATE, enable_eager_end_of_turn=True,
        settings=DeepgramFluxSTTService.Settings(model="flux-general-en"),
    )  # fmt: skip
    return await heard_by_pipecat(service, SleepFrame(sleep=1))


async def pipecat():
    service = DeepgramSTTService(
        api_key=KEY, base_url=SOCKET_URL, sample_rate=RATE, settings=DeepgramSTTService.Settings(model=MODEL)
    )
    return await heard_by_pipecat(service, SleepFrame(sleep=1))


async def pipecat_elevenlabs():
    async with aiohttp.ClientSession() as session:
        settings = ElevenLabsSTTService.Settings(model=MODEL)
        options = dict(api_key=KEY, aiohttp_session=session, base_url=URL, sample_rate=RATE, settings=settings)
        return await heard_by_pipecat(ElevenLabsSTTService(**options))


async def pipecat_elevenlabs_live(**options):
    service = ElevenLabsRealtimeSTTService(
        api_key=KEY, base_url=os.environ["TLS_HOST"], sample_rate=RATE,
        settings=ElevenLabsRealtimeSTTService.Settings(model="scribe_v2_realtime"), **options,
    )  # fmt: skip
    return await heard_by_pipecat(service, SleepFrame(sleep=1))


LIVE = dict(encoding="linear16", sample_rate=RATE, channels=1, interim_results=True)
of_livekit_deepgram = lambda session: livekit_deepgram.STT(  # noqa: E731
    api_key=KEY, base_url=f"{URL}/v1/listen", model=MODEL, http_session=session
)
of_livekit_elevenlabs = lambda **options: lambda session: livekit_elevenlabs.STT(  # noqa: E731
    api_key=KEY, base_url=f"{URL}/v1", http_session=session, **options
)
CALLS = {
    "deepgram-sdk listen.v1.media.transcribe_file": lambda: transcribe_file(),
    "deepgram-sdk transcribe_file with every option": lambda: transcribe_file(**MANY),
    "deepgram-sdk async transcribe_file with an access token": lambda: asyncio.run(transcribe_async()),
    "deepgram-sdk listen.v1.connect with raw audio": lambda: listen_connect(
        PARTS, **LIVE, endpointing=300, vad_events=True, utterance_end_ms=1000, smart_format=True, keyterm=["river"]
    ),
    "deepgram-sdk listen.v1.connect with WAV": lambda: listen_connect([WAV[at : at + 8000] for at in range(0, len(WAV), 8000)]),
    "deepgram-sdk listen.v2.connect": lambda: turns_connect(),
    "deepgram-sdk listen.v2.connect with every option": lambda: turns_connect(
        eager_eot_threshold=0.4, eot_threshold=0.6, eot_timeout_ms=2000, keyterm=["river"], mip_opt_out=True, tag=["a"]
    ),
    "elevenlabs speech_to_text.convert": lambda: convert(),
    "elevenlabs speech_to_text.convert with every option": lambda: convert(
        language_code="en", diarize=True, num_speakers=2, timestamps_granularity="character", tag_audio_events=False,
        temperature=0.0, keyterms=["river"], additional_formats=[{"format": "srt"}],
    ),
    "elevenlabs speech_to_text.realtime, manual": lambda: asyncio.run(realtime("manual")),
    "elevenlabs speech_to_text.realtime, vad": lambda: asyncio.run(realtime("vad")),
    "livekit deepgram.STT recognize": lambda: asyncio.run(livekit(of_livekit_deepgram, False)),
    "livekit deepgram.STT stream": lambda: asyncio.run(livekit(of_livekit_deepgram, True)),
    "livekit deepgram.STTv2 stream": lambda: asyncio.run(
        livekit(
            lambda session: livekit_deepgram.STTv2(
                api_key=KEY, base_url=f"{SOCKET_URL}/v2/listen", model="flux-general-en", eager_eot_threshold=0.4, http_session=session
            ),
            True,
        )
    ),
    "livekit elevenlabs.STT recognize": lambda: asyncio.run(livekit(of_livekit_elevenlabs(model=MODEL), False)),
    "livekit elevenlabs.STT stream": lambda: asyncio.run(livekit(of_livekit_elevenlabs(model="scribe_v2_realtime"), True)),
    "livekit elevenlabs.STT stream with server VAD": lambda: asyncio.run(
        livekit(of_livekit_elevenlabs(model="scribe_v2_realtime", server_vad={"vad_silence_threshold_secs": 0.5}), True)
    ),
    "pipecat DeepgramFluxSTTService": lambda: asyncio.run(pipecat_turns()),
    "pipecat DeepgramSTTService": lambda: asyncio.run(pipecat()),
    "pipecat ElevenLabsSTTService": lambda: asyncio.run(pipecat_elevenlabs()),
    "pipecat ElevenLabsRealtimeSTTService": lambda: asyncio.run(pipecat_elevenlabs_live(include_timestamps=True)),
    "pipecat ElevenLabsRealtimeSTTService, vad": lambda: asyncio.run(
        pipecat_elevenlabs_live(commit_strategy=PipecatStrategy.VAD)
    ),
}  # fmt: skip

for name, call in CALLS.items():
    began = time.perf_counter()
    try:
        result = {"heard": call()}
    except BaseException as error:  # noqa: BLE001
        result = {"failed": f"{type(error).__name__}: {str(error)[:500]}"}
    print(json.dumps({"name": name, **result, "seconds": round(time.perf_counter() - began, 2)}), flush=True)
