"""Every type that heyoo can send. It has Meta's address built in, in three attributes that are set to another one here."""

import json
import os
import sys
import tempfile

from heyoo import WhatsApp

base_url = os.environ["CLOUD_API_URL"]
phone_number_id = os.environ["CLOUD_API_PHONE_NUMBER_ID"]
to = os.environ["CLOUD_API_TO"].lstrip("+")
inbound = os.environ["CLOUD_API_INBOUND"]
link = "https://example.com/a.jpg"

client = WhatsApp(os.environ["CLOUD_API_TOKEN"], phone_number_id=phone_number_id)
client.base_url = f"{base_url}/v14.0"
client.v15_base_url = f"{base_url}/v15.0"
client.url = f"{client.base_url}/{phone_number_id}/messages"


def run(name, call):
    try:
        answer = call()
        if isinstance(answer, dict) and "error" in answer:
            raise RuntimeError(json.dumps(answer))
        if isinstance(answer, dict) and "messages" in answer:
            assert answer["contacts"][0]["wa_id"] == to, answer
            answer = answer["messages"][0]["id"]
            assert answer.startswith("wamid."), answer
        line = {"client": "heyoo", "name": name, "ok": True, "answer": answer}
    except Exception as error:
        line = {"client": "heyoo", "name": name, "ok": False, "error": repr(error)}
    print(json.dumps(line))
    sys.stdout.flush()


def files():
    path = tempfile.mkdtemp() + "/a.pdf"
    with open(path, "wb") as file:
        file.write(b"%PDF-1.4 a file")
    sent = client.upload_media(path)["id"]
    run("document by id", lambda: client.send_document(sent, to, caption="Uploaded", link=False))
    media_id = client.upload_media(path)["id"]
    url = client.query_media_url(media_id)
    downloaded = client.download_media(url, "application/pdf", tempfile.mkdtemp() + "/b")
    with open(downloaded, "rb") as file:
        assert file.read() == b"%PDF-1.4 a file"
    return client.delete_media(media_id)


contact = {"name": {"formatted_name": "Sari Dewi", "first_name": "Sari"}, "phones": [{"phone": "+6281200000009"}]}
buttons = {"buttons": [{"type": "reply", "reply": {"id": "yes", "title": "Yes"}}]}

run("text", lambda: client.send_message("Halo", to))
run("text as a reply", lambda: client.reply_to_message(inbound, to, "Ya"))
run("reaction", lambda: client.send_reaction("👍", inbound, to))
parameters = [{"type": "text", "text": "A-1042"}, {"type": "text", "text": "Rp 75.000"}]
run("template", lambda: client.send_template("order_paid", to, components=[{"type": "body", "parameters": parameters}], lang="id"))
run("location", lambda: client.send_location(-6.2, 106.8, "Monas", "Jakarta", to))
run("image", lambda: client.send_image(link, to, caption="A picture"))
run("sticker", lambda: client.send_sticker("https://example.com/a.webp", to))
run("audio", lambda: client.send_audio("https://example.com/a.mp3", to))
run("video", lambda: client.send_video("https://example.com/a.mp4", to, caption="A video"))
run("document", lambda: client.send_document("https://example.com/a.pdf", to, caption="A document"))
run("contacts", lambda: client.send_contacts([contact], to))
run("list", lambda: client.send_button({"header": "Menu", "body": "Pick", "footer": "x", "action": {"button": "Open", "sections": [{"title": "Food", "rows": [{"id": "nasi", "title": "Nasi"}]}]}}, to))
run("reply buttons", lambda: client.send_reply_button({"type": "button", "body": {"text": "Pick"}, "action": buttons}, to))
run("mark as read", lambda: client.mark_as_read(inbound))
run("upload, describe, download and delete a file", files)
