"""Reads {"secret", "headers", "body"} from stdin and says what the official Python verifier makes of it."""

import json
import sys

from standardwebhooks.webhooks import Webhook, WebhookVerificationError

delivery = json.load(sys.stdin)
try:
    Webhook(delivery["secret"]).verify(delivery["body"], delivery["headers"])
    print("accepted")
except WebhookVerificationError as refusal:
    print(f"refused: {refusal}")
