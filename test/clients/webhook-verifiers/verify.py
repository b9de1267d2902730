"""Reads {"secret", "headers", "body"} from stdin and prints the verdict of the official Python verifier."""

import json
import sys

from standardwebhooks.webhooks import Webhook, WebhookVerificationError

delivery = json.load(sys.stdin)
try:
    Webhook(delivery["secret"]).verify(delivery["body"], delivery["headers"])
    print("accepted")
except WebhookVerificationError as refusal:
    print(f"refused: {refusal}")
