"""
What the libraries of ElevenLabs and Deepgram read of a server: a line of JSON in, a line of JSON out, one call at a time.
Arguments: the address of the server, a key.
"""

import base64
import json
import sys

from deepgram import DeepgramClient
from deepgram.environment import DeepgramClientEnvironment
from elevenlabs.client import ElevenLabs
from elevenlabs.core.api_error import ApiError

URL, KEY = sys.argv[1:3]
WS = URL.replace("http", "ws", 1)
ENVIRONMENT = DeepgramClientEnvironment(base=URL, production=WS, agent=WS, agent_rest=URL)

eleven = ElevenLabs(base_url=URL, api_key=KEY)
deepgram = DeepgramClient(api_key=KEY, environment=ENVIRONMENT)


def search(text):
    page = eleven.voices.search(search=text, page_size=10, include_total_count=True)
    return {
        "ids": [voice.voice_id for voice in page.voices],
        "has_more": page.has_more,
        "total": page.total_count,
    }


def voice(name):
    found = eleven.voices.get(name)
    return {"name": found.name, "category": found.category}


def settings(name):
    return [eleven.voices.settings.get(name).speed, eleven.voices.settings.get_default().speed]


def user():
    terms = eleven.user.subscription.get()
    return {"tier": terms.tier, "workspace": eleven.user.get().workspace_id}


def clone(wav, labels):
    files = [("me.wav", base64.b64decode(wav), "audio/wav")]
    given = {} if labels is None else {"labels": labels}
    try:
        made = eleven.voices.ivc.create(name="me", files=files, description="x", **given)
    except ApiError as error:
        return {"status": error.status_code, "param": error.body["detail"]["param"]}
    return {"verify": made.requires_verification, "status": eleven.voices.delete(made.voice_id).status}


def grant():
    granted = deepgram.auth.v1.tokens.grant(ttl_seconds=45)
    other = DeepgramClient(access_token=granted.access_token, environment=ENVIRONMENT)
    return {"seconds": granted.expires_in, "projects": len(other.manage.v1.projects.list().projects)}


def projects():
    (first,) = deepgram.manage.v1.projects.list().projects
    return deepgram.manage.v1.projects.get(first.project_id).name


CALLS = {
    "voices": lambda: [voice.voice_id for voice in eleven.voices.get_all().voices],
    "voice": voice,
    "search": search,
    "settings": settings,
    "models": lambda: [model.model_id for model in eleven.models.list()],
    "user": user,
    "clone": clone,
    "deepgram-models": lambda: [model.uuid_ for model in deepgram.manage.v1.models.list().tts],
    "deepgram-model": lambda name: deepgram.manage.v1.models.get(name).uuid_,
    "deepgram-projects": projects,
    "deepgram-grant": grant,
}

for line in sys.stdin:
    name, *given = json.loads(line)
    print(json.dumps({"answer": {"answer": CALLS[name](*given)}}), flush=True)
