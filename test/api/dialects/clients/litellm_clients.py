"""
LiteLLM, which calls the server as OpenAI, ElevenLabs and Deepgram: a line of JSON for each call. Arguments: the server's
URL, key, a recording in WAV.
"""
import json
import sys

import litellm

URL, KEY, PATH = sys.argv[1:4]
TEXT = "Good morning, dear world. How are you today?"
MODEL = "svc-stt1"
litellm.suppress_debug_info = True


def speech(model, api_base, **options):
    answer = litellm.speech(model=model, input=TEXT, api_base=api_base, api_key=KEY, num_retries=0, **options)
    return {"bytes": len(answer.content)}


def transcription(model, api_base, **options):
    with open(PATH, "rb") as file:
        answer = litellm.transcription(model=model, file=file, api_base=api_base, api_key=KEY, **options)
    return {"heard": answer.text}


def refused():
    try:
        speech("elevenlabs/svc-tts1", URL, voice="unknown")
    except litellm.exceptions.APIError as error:
        return {"heard": str(error)}
    except Exception as error:
        return {"heard": f"{type(error).__name__} {error}"}
    return {"failed": "an unknown voice speaks"}


CALLS = {
    "openai speech": lambda: speech("openai/tts-1", f"{URL}/v1", voice="alloy"),
    "openai transcription": lambda: transcription("openai/whisper-1", f"{URL}/v1", response_format="verbose_json"),
    "elevenlabs speech": lambda: speech("elevenlabs/svc-tts1", URL, voice="female-warm", response_format="pcm"),
    "elevenlabs transcription": lambda: transcription(f"elevenlabs/{MODEL}", URL, language="en"),
    "deepgram transcription": lambda: transcription(f"deepgram/{MODEL}", f"{URL}/v1", language="en"),
    "elevenlabs error": refused,
}

for name, call in CALLS.items():
    try:
        result = call()
    except BaseException as error:
        result = {"failed": f"{type(error).__name__}: {str(error)[:500]}"}
    print(json.dumps({"name": name, **result}), flush=True)
