"""
Files, jobs and batches by OpenAI's library: a line of JSON in, a line of JSON out, one call at a time.
Arguments: the address of the server, a key.
"""

import base64
import json
import sys

import openai

URL, KEY = sys.argv[1:3]
client = openai.OpenAI(base_url=f"{URL}/v1", api_key=KEY, max_retries=0)


def send(text, name, purpose):
    return client.files.create(file=(name, text.encode()), purpose=purpose).id


def read(file):
    return client.files.content(file).read().decode()


def file(text):
    made = send(text, "text.txt", "user_data")
    found = client.files.retrieve(made)
    listed = made in [each.id for each in client.files.list()]
    content = read(made)
    deleted = client.files.delete(made).deleted
    return {"name": found.filename, "bytes": found.bytes, "listed": listed, "content": content, "deleted": deleted}


def chunked(text, part_size):
    upload = client.uploads.upload_file_chunked(
        file=text.encode(),
        filename="text.txt",
        bytes=len(text),
        mime_type="text/plain",
        purpose="user_data",
        part_size=part_size,
    )
    return {"status": upload.status, "content": read(upload.file.id)}


def transcribe(wav, whole):
    """A recording with the request, or a file of the project that the request names."""
    recording = ("talk.wav", base64.b64decode(wav))
    body = {"background": True}
    if not whole:
        body["file_id"] = client.files.create(file=recording, purpose="user_data").id
    sent = recording if whole else openai.NOT_GIVEN
    return client.audio.transcriptions.create(model="svc-stt1", file=sent, extra_body=body).to_dict()


def job(name):
    return client.get(f"/audio/jobs/{name}", cast_to=object, options={"params": {"wait": 30}})


def result(name, form):
    path = f"/audio/jobs/{name}/content"
    return client.get(path, cast_to=str, options={"params": {"response_format": form}})


def jobs():
    return [each["id"] for each in client.get("/audio/jobs", cast_to=object)["data"]]


def cancel(name):
    return client.post(f"/audio/jobs/{name}/cancel", cast_to=object)["status"]


def speak(text):
    said = {"model": "svc-tts1", "voice": "female-warm", "response_format": "wav"}
    spoken = client.audio.speech.create(input=text, **said, extra_body={"background": True})
    return json.loads(spoken.read())


def sound(name):
    path = f"/audio/jobs/{name}/content"
    spoken = client.get(path, cast_to=openai._legacy_response.HttpxBinaryResponseContent)
    return spoken.read()[:4].decode()


def batch(lines, endpoint):
    made = send("\n".join(lines), "lines.jsonl", "batch")
    return client.batches.create(input_file_id=made, endpoint=endpoint, completion_window="24h").id


def batch_state(name):
    found = client.batches.retrieve(name)
    return {"status": found.status, "output": found.output_file_id, "completed": found.request_counts.completed}


CALLS = {
    "file": file,
    "chunked": chunked,
    "read": read,
    "transcribe": transcribe,
    "job": job,
    "jobs": jobs,
    "result": result,
    "cancel": cancel,
    "speak": speak,
    "sound": sound,
    "batch": batch,
    "batch-state": batch_state,
    "batch-list": lambda: [each.id for each in client.batches.list(limit=1)],
    "batch-cancel": lambda name: client.batches.cancel(name).status,
}

for line in sys.stdin:
    name, *given = json.loads(line)
    print(json.dumps({"answer": {"answer": CALLS[name](*given)}}), flush=True)
