"""A bot that answers every message with buttons, and every tap with a text."""
import base64
import hashlib
import hmac
import json
import os
import time
import urllib.request

from fastapi import FastAPI, HTTPException, Request, Response
from fastapi.concurrency import run_in_threadpool

API = os.environ.get("NEXKIT_URL", "http://127.0.0.1:3900") + "/api/public/v1"
KEY = os.environ["NEXKIT_KEY"]
SECRET = base64.b64decode(os.environ["WEBHOOK_SECRET"].removeprefix("whsec_"))
TOLERANCE_SECONDS = 300

ANSWERS = {
    "hours": ("Jam buka", "Kami buka setiap hari pukul 08.00 sampai 21.00."),
    "address": ("Alamat", "Jl. Braga No. 12, Bandung."),
}


def is_genuine(body: bytes, headers) -> bool:
    """Standard Webhooks: HMAC-SHA256 over `id.timestamp.body`, where body is the exact bytes that arrived."""
    timestamp = headers.get("webhook-timestamp", "")
    if not timestamp.isascii() or not timestamp.isdigit():
        return False
    if abs(time.time() - int(timestamp)) > TOLERANCE_SECONDS:
        return False
    signed = f"{headers.get('webhook-id', '')}.{timestamp}.".encode() + body
    expected = b"v1," + base64.b64encode(hmac.digest(SECRET, signed, hashlib.sha256))
    signatures = headers.get("webhook-signature", "").encode().split(b" ")
    return any(hmac.compare_digest(expected, signature) for signature in signatures)


def send(message: dict, event_id: str) -> None:
    """The key is the same on every delivery of the event, so a repeat sends nothing twice."""
    headers = {
        "Authorization": f"Bearer {KEY}",
        "Content-Type": "application/json",
        "Idempotency-Key": f"python-bot-{event_id}",
    }
    request = urllib.request.Request(f"{API}/messages", json.dumps(message).encode(), headers)
    with urllib.request.urlopen(request, timeout=10) as response:
        print(json.load(response)["id"], message.get("body", "buttons"), flush=True)


def answer(event: dict) -> None:
    received = event["data"]
    # The chat id also reaches customers who hide their phone number.
    reply = {"to": received["chat_id"], "reply_to": received["id"]}
    tapped = (received["interactive"] or {}).get("button_reply")
    if tapped and tapped["id"] in ANSWERS:
        send({**reply, "body": ANSWERS[tapped["id"]][1]}, event["id"])
    elif received["type"] == "text":
        buttons = [{"type": "reply", "reply": {"id": id, "title": title}} for id, (title, _) in ANSWERS.items()]
        interactive = {
            "type": "button",
            "body": {"text": "Halo! Apa yang ingin Anda ketahui?"},
            "action": {"buttons": buttons},
        }
        send({**reply, "type": "interactive", "interactive": interactive}, event["id"])


app = FastAPI()


@app.post("/hooks")
async def receive(request: Request) -> Response:
    body = await request.body()
    if not is_genuine(body, request.headers):
        raise HTTPException(401, "The signature does not fit.")
    event = json.loads(body)
    # Every answer but 2xx makes Nexkit deliver the event again later.
    if event["type"] == "message.received" and not event.get("test"):
        await run_in_threadpool(answer, event)
    return Response(status_code=204)
