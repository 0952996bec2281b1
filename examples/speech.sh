#!/bin/sh
# Synthesizes a sentence to hello.wav, and transcribes it again. An error is a JSON object with a message that says what to do.
#   LOQUAT_KEY=$(cat data/first-key) sh examples/speech.sh
set -eu
base=${LOQUAT_BASE_URL:-http://127.0.0.1:8080/v1}

if ! curl --fail-with-body --silent --show-error "$base/audio/speech" \
  -H "Authorization: Bearer $LOQUAT_KEY" -H "Content-Type: application/json" \
  -d '{"model":"svc-tts1","voice":"female-warm","input":"Good morning from Loquat."}' -o hello.wav
then
  cat hello.wav >&2 # the error
  exit 1
fi

curl --fail-with-body --silent --show-error "$base/audio/transcriptions" \
  -H "Authorization: Bearer $LOQUAT_KEY" -F model=svc-stt1 -F file=@hello.wav -F response_format=text
