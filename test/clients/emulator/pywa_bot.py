"""The bot of the story, on pywa as published. Only the address of its session is set: Meta's is built in."""

import os

from pywa import WhatsApp, errors, filters, types
from pywa.types import templates

PICTURE = bytes.fromhex(
    "89504e470d0a1a0a0000000d49484452000000010000000108020000009077"
    "53de0000000c4944415478da63f8cfc000000301010018dd8db00000000049454e44ae426082"
)
port = int(os.environ["BOT_PORT"])

# The callback is registered for the app: with an app access token that app id and app secret are exchanged for.
bot = WhatsApp(
    phone_id=os.environ["PHONE_NUMBER_ID"],
    token=os.environ["ACCESS_TOKEN"],
    app_id=os.environ["APP_ID"],
    app_secret=os.environ["APP_SECRET"],
    verify_token=os.environ["VERIFY_TOKEN"],
    callback_url=f"http://127.0.0.1:{port}",
    webhook_endpoint="/webhook",
    webhook_challenge_delay=1,
)
bot.api._session.base_url = os.environ["GRAPH_URL"] + "/v23.0"


@bot.on_message(filters.matches("menu"))
def menu(_: WhatsApp, message: types.Message):
    message.reply("What would you like?", buttons=[types.Button("Coffee", "coffee"), types.Button("Tea", "tea")])


@bot.on_callback_button
def choice(_: WhatsApp, button: types.CallbackButton):
    button.reply(f"You chose {button.data} ({button.title}).")


@bot.on_message(filters.matches("photo"))
def photo(_: WhatsApp, message: types.Message):
    message.reply_image(PICTURE, caption="A photo", mime_type="image/png")


@bot.on_message(filters.image)
def picture(_: WhatsApp, message: types.Message):
    message.reply(f"Got {len(message.image.get_bytes())} bytes of {message.image.mime_type}.")


@bot.on_message(filters.matches("template"))
def template(_: WhatsApp, message: types.Message):
    params = [templates.BodyText.params("A-1042", "Rp 75.000")]
    message.reply_template("order_paid", templates.TemplateLanguage.INDONESIAN, params=params)


@bot.on_message(filters.startswith("write "))
def write(client: WhatsApp, message: types.Message):
    """Writes to another customer: free-form text first, which the reply window refuses, then a template."""
    to = message.text.split(" ")[1]
    try:
        client.send_message(to, "Hello")
    except errors.ReEngagementMessage as error:
        message.reply(f"Refused: {error.code}")
    client.send_template(to, "hello_world", templates.TemplateLanguage.ENGLISH_US, params=[], tracker=message.from_user.wa_id)


@bot.on_message(filters.text)
def echo(_: WhatsApp, message: types.Message):
    message.mark_as_read()
    message.reply(f"You said: {message.text}", quote=True, tracker="echo")


@bot.on_message_status
def status(client: WhatsApp, update: types.MessageStatus):
    if update.tracker == "echo" and update.status == types.MessageStatusType.READ:
        update.reply("You read it.")
    if update.tracker and update.status == types.MessageStatusType.FAILED:
        client.send_message(update.tracker, f"Failed: {update.error.code}")


bot.run(host="127.0.0.1", port=port, log_level="warning")
