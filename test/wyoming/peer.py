"""The published Wyoming client against a server: prints what it understood, as JSON. Arguments: port, WAV file."""

import asyncio
import json
import sys
import wave

from wyoming.asr import Transcribe, Transcript, TranscriptChunk, TranscriptStart, TranscriptStop
from wyoming.audio import AudioChunk, AudioStart, AudioStop, wav_to_chunks
from wyoming.client import AsyncTcpClient
from wyoming.error import Error
from wyoming.info import Describe, Info
from wyoming.ping import Ping, Pong
from wyoming.tts import (
    Synthesize,
    SynthesizeChunk,
    SynthesizeStart,
    SynthesizeStop,
    SynthesizeStopped,
    SynthesizeVoice,
)

HOST = "127.0.0.1"


async def describe(port):
    async with AsyncTcpClient(HOST, port) as client:
        await client.write_event(Describe().event())
        info = Info.from_event(await asyncio.wait_for(client.read_event(), 1))
        await client.write_event(Ping(text="here").event())
        pong = Pong.from_event(await client.read_event())
        return {
            "asr": [[model.name, model.languages] for asr in info.asr for model in asr.models],
            "installed": all(program.installed for program in [*info.asr, *info.tts]),
            "voices": [voice.name for tts in info.tts for voice in tts.voices],
            "streams": [tts.supports_synthesize_streaming for tts in info.tts],
            "pong": pong.text,
        }


async def transcribe(port, path):
    """As Home Assistant: language, 16-bit audio, then reads to the transcript."""
    async with AsyncTcpClient(HOST, port) as client:
        await client.write_event(Transcribe(language="en").event())
        with wave.open(path, "rb") as recording:
            for chunk in wav_to_chunks(recording, 1024, start_event=True, stop_event=True):
                await client.write_event(chunk.event())
        chunks, seen = [], []
        while (event := await client.read_event()) is not None:
            seen.append(event.type)
            if TranscriptChunk.is_type(event.type):
                chunks.append(TranscriptChunk.from_event(event).text)
            elif Transcript.is_type(event.type):
                text = Transcript.from_event(event).text
            elif TranscriptStart.is_type(event.type):
                TranscriptStart.from_event(event)
            elif TranscriptStop.is_type(event.type):
                return {"text": text, "chunks": "".join(chunks), "first": seen[0], "last": seen[-1]}
        return {"text": None, "seen": seen}


async def synthesize(port, voice):
    """Without streaming: reads to the first audio-stop."""
    async with AsyncTcpClient(HOST, port) as client:
        await client.write_event(Synthesize(text="Good morning.", voice=voice).event())
        seconds = 0.0
        while (event := await client.read_event()) is not None:
            if AudioStart.is_type(event.type):
                start = AudioStart.from_event(event)
            elif AudioChunk.is_type(event.type):
                seconds += AudioChunk.from_event(event).seconds
            elif AudioStop.is_type(event.type):
                return {"rate": start.rate, "width": start.width, "channels": start.channels, "seconds": seconds}
        return None


async def synthesize_streaming(port):
    """Token by token, with the whole text for old servers, then reads to synthesize-stopped."""
    text = "Good morning. The weather is fine. See you."
    async with AsyncTcpClient(HOST, port) as client:
        await client.write_event(SynthesizeStart(voice=SynthesizeVoice(name="female-warm")).event())
        for word in text.split(" "):
            await client.write_event(SynthesizeChunk(text=word + " ").event())
        await client.write_event(Synthesize(text=text).event())
        await client.write_event(SynthesizeStop().event())
        seen = []
        while (event := await client.read_event()) is not None:
            if not AudioChunk.is_type(event.type):
                seen.append(event.type)
            if SynthesizeStopped.is_type(event.type):
                break
        return seen


async def refused(port):
    async with AsyncTcpClient(HOST, port) as client:
        await client.write_event(Synthesize(text="Hi.", voice=SynthesizeVoice(name="nobody")).event())
        error = Error.from_event(await client.read_event())
        return {"code": error.code, "ends": await client.read_event() is None}


async def main():
    port, path = int(sys.argv[1]), sys.argv[2]
    print(
        json.dumps(
            {
                "describe": await describe(port),
                "transcribe": await transcribe(port, path),
                "synthesize": await synthesize(port, None),
                "named": await synthesize(port, SynthesizeVoice(name="male-deep")),
                "streaming": await synthesize_streaming(port),
                "refused": await refused(port),
            }
        )
    )


asyncio.run(main())
