"""Synthesizes a sentence to hello.wav, and transcribes it again.

    pip install openai
    LOQUAT_KEY=$(cat data/first-key) python examples/speech.py
"""

import os

from openai import OpenAI

client = OpenAI(
    base_url=os.environ.get("LOQUAT_BASE_URL", "http://127.0.0.1:8080/v1"),
    api_key=os.environ["LOQUAT_KEY"],
)

with client.audio.speech.with_streaming_response.create(
    model="svc-tts1",
    voice="female-warm",
    input="Good morning from Loquat.",
    response_format="wav",
) as response:
    response.stream_to_file("hello.wav")

with open("hello.wav", "rb") as recording:
    print(client.audio.transcriptions.create(model="svc-stt1", file=recording).text)
