"""Every type that pywa can send. It has Meta's address built in; its session, a private attribute, is given another one."""

import json
import os
import sys

from pywa import WhatsApp, errors, types
from pywa.types import templates

base_url = os.environ["CLOUD_API_URL"]
token = os.environ["CLOUD_API_TOKEN"]
to = os.environ["CLOUD_API_TO"]
inbound = os.environ["CLOUD_API_INBOUND"]
link = "https://example.com/a.jpg"
picture = bytes.fromhex(
    "89504e470d0a1a0a0000000d49484452000000010000000108020000009077"
    "53de0000000c4944415478da63f8cfc000000301010018dd8db00000000049454e44ae426082"
)

client = WhatsApp(phone_id=os.environ["CLOUD_API_PHONE_NUMBER_ID"], token=token)
client.api._session.base_url = f"{base_url}/v23.0"


def run(name, call):
    try:
        answer = call()
        answer = getattr(answer, "id", answer)
        line = {"client": "pywa", "name": name, "ok": True, "answer": str(answer)}
    except Exception as error:
        line = {"client": "pywa", "name": name, "ok": False, "error": repr(error)}
    print(json.dumps(line))
    sys.stdout.flush()


def files():
    sent = client.upload_media(picture, mime_type="image/png", filename="a.png")
    run("image by id", lambda: client.send_image(to, sent.id, caption="Uploaded"))
    media = client.upload_media(picture, mime_type="image/png", filename="a.png")
    described = client.get_media_url(media.id)
    assert described.mime_type == "image/png" and described.file_size == len(picture), described
    assert client.get_media_bytes(described.url) == picture
    return client.delete_media(media.id)


def refusal():
    try:
        client.send_message(to, "a" * 4097)
    except errors.WhatsAppError as error:
        assert error.code == 131009, error
        return f"{type(error).__name__} {error.code} {error.details}"
    raise RuntimeError("accepted")


def flow(**more):
    return types.FlowButton(title="Book", flow_id="1", flow_token="t", flow_message_version="3", **more)


contact = types.Contact(
    name=types.Contact.Name(formatted_name="Sari Dewi", first_name="Sari"),
    phones=[types.Contact.Phone(phone="+6281200000009", type="WORK")],
)
menu = types.SectionList(
    button_title="Open",
    sections=[types.Section(title="Food", rows=[types.SectionRow(title="Nasi", callback_data="nasi", description="Rp25.000")])],
)
products = [types.ProductsSection(title="Food", skus=["SKU-1", "SKU-2"])]
cards = [
    types.ImageCarouselCard(image=link, body="A card", buttons=types.URLButton(title="View", url="https://example.com/1"))
    for _ in range(2)
]
body = templates.BodyText.params("A-1042", "Rp 75.000")

run("text", lambda: client.send_message(to, "Halo", preview_url=True, tracker="order:1"))
run("text as a reply", lambda: client.send_message(to, "Ya", reply_to_message_id=inbound))
run("reply buttons", lambda: client.send_message(to, "Pick", header="Header", footer="Footer", buttons=[types.Button("Yes", "yes"), types.Button("No", "no")]))
run("link button", lambda: client.send_message(to, "Pay", buttons=types.URLButton(title="Pay", url="https://example.com/pay")))
run("list", lambda: client.send_message(to, "Pick", buttons=menu))
run("flow", lambda: client.send_message(to, "Book", buttons=flow(flow_action_type=types.FlowActionType.NAVIGATE, flow_action_screen="WELCOME")))
run("call button", lambda: client.send_message(to, "Call us", buttons=types.VoiceCallButton(title="Call")))
run("call permission", lambda: client.send_message(to, "May we call?", buttons=types.CallPermissionRequestButton()))
run("contact request", lambda: client.send_message(to, "Your number?", buttons=types.ContactInfoRequestButton()))
run("image", lambda: client.send_image(to, link, caption="A picture"))
run("image with buttons", lambda: client.send_image(to, link, caption="Pick", buttons=[types.Button("Yes", "yes")]))
run("video", lambda: client.send_video(to, "https://example.com/a.mp4", caption="A video"))
run("document", lambda: client.send_document(to, "https://example.com/a.pdf", filename="a.pdf", caption="A document"))
run("audio", lambda: client.send_audio(to, "https://example.com/a.mp3"))
run("voice note", lambda: client.send_voice(to, "https://example.com/a.ogg"))
run("sticker", lambda: client.send_sticker(to, "https://example.com/a.webp"))
run("location", lambda: client.send_location(to, -6.2, 106.8, name="Monas", address="Jakarta"))
run("location request", lambda: client.request_location(to, "Where are you?"))
run("contacts", lambda: client.send_contact(to, contact))
run("reaction", lambda: client.send_reaction(to, "👍", inbound))
run("reaction removed", lambda: client.remove_reaction(to, inbound))
run("catalogue", lambda: client.send_catalog(to, "Browse", thumbnail_product_sku="SKU-1"))
run("product", lambda: client.send_product(to, "1", "SKU-1", body="This"))
run("product list", lambda: client.send_products(to, "1", products, title="Ours", body="All"))
run("carousel", lambda: client.send_carousel(to, body="Choose", cards=cards))
run("template", lambda: client.send_template(to, "order_paid", templates.TemplateLanguage.INDONESIAN, params=[body]))
run("mark as read", lambda: client.mark_message_as_read(inbound))
run("mark as read, typing", lambda: client.indicate_typing(inbound))
run("upload, describe, download and delete a file", files)
run("a refusal is understood", refusal)
