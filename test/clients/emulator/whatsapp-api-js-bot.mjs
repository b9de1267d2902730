import { createServer } from 'node:http'
import {
  ActionButtons,
  Body,
  BodyComponent,
  BodyParameter,
  Button,
  Image,
  Interactive,
  Template,
  Text,
} from 'whatsapp-api-js/messages'
import { WhatsAppAPI } from 'whatsapp-api-js/middleware/node-http'

/** The bot of the story, on whatsapp-api-js as published. Meta's address is built in; `ponyfill.fetch` replaces it. */
const picture = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAIAAACQd1PeAAAADElEQVR42mP4z8AAAAMBAQAY3Y2wAAAAAElFTkSuQmCC',
  'base64',
)
const { GRAPH_URL, ACCESS_TOKEN, APP_SECRET, VERIFY_TOKEN, BOT_PORT } = process.env
const fetchHere = (url, init) => fetch(String(url).replace('https://graph.facebook.com', GRAPH_URL), init)
const bot = new WhatsAppAPI({
  token: ACCESS_TOKEN,
  appSecret: APP_SECRET,
  webhookVerifyToken: VERIFY_TOKEN,
  ponyfill: { fetch: fetchHere },
})

const say = (phoneID, to, text) => bot.sendMessage(phoneID, to, new Text(text))

const commands = {
  menu: (phoneID, from) =>
    bot.sendMessage(
      phoneID,
      from,
      new Interactive(
        new ActionButtons(new Button('coffee', 'Coffee'), new Button('tea', 'Tea')),
        new Body('What would you like?'),
      ),
    ),
  async photo(phoneID, from) {
    const form = new FormData()
    form.set('type', 'image/png')
    form.set('messaging_product', 'whatsapp')
    form.set('file', new Blob([picture], { type: 'image/png' }), 'a.png')
    const { id } = await bot.uploadMedia(phoneID, form)
    await bot.sendMessage(phoneID, from, new Image(id, true, 'A photo'))
  },
  template: (phoneID, from) =>
    bot.sendMessage(
      phoneID,
      from,
      new Template('order_paid', 'id', new BodyComponent(new BodyParameter('A-1042'), new BodyParameter('Rp 75.000'))),
    ),
}

async function answerText({ phoneID, from, message }) {
  const text = message.text.body
  if (Object.hasOwn(commands, text)) return commands[text](phoneID, from)
  if (text.startsWith('write ')) {
    const [, to] = text.split(' ')
    const { error } = await bot.sendMessage(phoneID, to, new Text('Hello'))
    if (error !== undefined) await say(phoneID, from, `Refused: ${error.code}`)
    return bot.sendMessage(phoneID, to, new Template('hello_world', 'en_US'), undefined, from)
  }
  await bot.markAsRead(phoneID, message.id)
  return bot.sendMessage(phoneID, from, new Text(`You said: ${text}`), message.id, 'echo')
}

bot.on.message = async (event) => {
  const { phoneID, from, message } = event
  if (message.type === 'interactive') {
    const { id, title } = message.interactive.button_reply
    return say(phoneID, from, `You chose ${id} (${title}).`)
  }
  if (message.type === 'image') {
    const { url } = await bot.retrieveMedia(message.image.id)
    const { size } = await (await bot.fetchMedia(url)).blob()
    return say(phoneID, from, `Got ${size} bytes of ${message.image.mime_type}.`)
  }
  if (message.type === 'text') await answerText(event)
}

bot.on.status = async ({ phoneID, phone, status, error, biz_opaque_callback_data: tracker }) => {
  if (tracker === 'echo' && status === 'read') await say(phoneID, phone, 'You read it.')
  else if (tracker !== undefined && status === 'failed') await say(phoneID, tracker, `Failed: ${error.code}`)
}

createServer(async (request, response) => {
  try {
    if (request.method === 'GET') return response.end(await bot.handle_get(request))
    response.writeHead(await bot.handle_post(request)).end()
  } catch (error) {
    response.writeHead(typeof error === 'object' && 'httpStatus' in error ? error.httpStatus : 500).end()
  }
}).listen(Number(BOT_PORT), '127.0.0.1')
