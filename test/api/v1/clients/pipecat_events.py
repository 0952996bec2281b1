"""Parses each line of standard input as Pipecat parses an event of a server, and writes as JSON what it could not."""

import json
import sys

from loguru import logger

logger.remove()

from pipecat.services.openai.realtime.events import parse_server_event  # noqa: E402


def complaint(line):
    try:
        return None if parse_server_event(line) else f"unknown: {line[:200]}"
    except Exception as error:
        return str(error)[:2000]


complaints = [complaint(line) for line in sys.stdin]
print(json.dumps([text for text in complaints if text]))
