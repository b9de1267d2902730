import { readFile } from 'node:fs/promises'
import { basename, extname } from 'node:path'
import {
  CATALOG_ID,
  type Customer,
  type InboundOrigin,
  simulatedAd,
  type Written,
} from '../channels/connectors/simulator/simulator.ts'
import type { CartContent, MediaType, MessageContent } from '../channels/content/content.ts'
import { isBlank } from '../kernel/text.ts'
import { SIMULATED_STATUSES } from '../surfaces/simulator-api/simulator-api.schemas.ts'
import { type CommandValues, defineCommand, jsonOption, UsageError } from './framework/command.ts'
import { printJson, printLine } from './framework/output.ts'
import { readPhone, type Simulation, withSimulation } from './simulation.ts'

/** Playing the customer of a simulator number from the command line. */
const stageOptions = {
  org: {
    type: 'string',
    help: 'slug of the organization; required when several have a simulator number',
    placeholder: 'slug',
  },
  number: {
    type: 'string',
    help: 'simulator number: its id, phone_number_id or phone number (default the default number)',
    placeholder: 'number',
  },
  json: jsonOption,
} as const

const fromOption = {
  type: 'string',
  help: 'phone number of the customer',
  placeholder: 'phone',
  isRequired: true,
} as const
const messageOption = {
  type: 'string',
  help: 'id of the message, msg_… or wamid.…',
  placeholder: 'id',
  isRequired: true,
} as const

const MESSAGES_MAX = 10_000

export const simulateCommands = [
  defineCommand({
    name: 'simulate message',
    summary: 'Write a message as a simulated customer',
    examples: [
      'npx nexkit simulate message --from 081311112222 --name Sari --text "Halo, kopi susu masih ada?"',
      'npx nexkit simulate message --from 081311112222 --media bukti-transfer.jpg --text "Sudah saya bayar"',
    ],
    options: {
      from: fromOption,
      text: { type: 'string', help: 'text of the message; with --media, the caption', placeholder: 'text' },
      name: { type: 'string', help: 'name of the customer', placeholder: 'text' },
      username: { type: 'string', help: 'username of the customer', placeholder: 'text' },
      media: { type: 'string', help: 'file to send: a picture, audio, video or document', placeholder: 'path' },
      'reply-to': { type: 'string', help: 'id of the message it replies to, msg_… or wamid.…', placeholder: 'id' },
      'no-phone': { type: 'boolean', help: 'hide the phone number: the network sends a user id instead' },
      ad: { type: 'string', help: 'headline of the advertisement that the customer came from', placeholder: 'text' },
      product: { type: 'string', help: 'product of the catalog that the message is about', placeholder: 'sku' },
      forwarded: { type: 'boolean', help: 'mark the message as forwarded' },
      count: { type: 'string', help: 'number of messages to write at once', placeholder: 'n', fallback: '1' },
      ...stageOptions,
    },
    async run({ values }) {
      const count = readCount(String(values.count))
      const file = values.media === undefined ? null : await readMedia(String(values.media))
      if (file === null && values.text === undefined) throw new UsageError('Give --text, --media or both.')
      if (values.text !== undefined && isBlank(String(values.text))) throw new UsageError('--text must not be blank.')
      if (file !== null && count > 1) throw new UsageError('--count works with --text only.')
      if (count > 1 && (values.ad !== undefined || values.product !== undefined))
        throw new UsageError(
          'Give --count, or --ad or --product, not both: the network reports them with the first message only.',
        )
      if (values.forwarded === true && values['reply-to'] !== undefined)
        throw new UsageError('Give --forwarded or --reply-to, not both: a forwarded message is not a reply.')
      const { written, simulation } = await play(values, ({ customers }, customer) => {
        const replyTo = values['reply-to'] === undefined ? {} : { replyTo: String(values['reply-to']) }
        const writing = { ...customer, ...replyTo, origin: readOrigin(values) }
        const caption = values.text === undefined ? {} : { caption: String(values.text) }
        if (file !== null) return customers.customerSendsMedia({ ...writing, ...file, ...caption })
        return customers.customerWrites({ ...writing, content: textsOf(String(values.text), count) })
      })
      printWritten(values, simulation, written)
    },
  }),
  defineCommand({
    name: 'simulate reply',
    summary: 'Tap a button or list row as a simulated customer',
    examples: ['npx nexkit simulate reply --from 081311112222 --message msg_01kmz3v7n2e0a8tq9fj6hx5c4d --choice 1'],
    options: {
      from: fromOption,
      message: messageOption,
      choice: {
        type: 'string',
        help: 'id, title or position (from 1) of the button or row',
        placeholder: 'choice',
        isRequired: true,
      },
      ...stageOptions,
    },
    async run({ values }) {
      const { written, simulation } = await play(values, ({ customers }, customer) =>
        customers.customerReplies({ ...customer, messageId: String(values.message), choice: String(values.choice) }),
      )
      printWritten(values, simulation, written)
    },
  }),
  defineCommand({
    name: 'simulate react',
    summary: 'React to a message as a simulated customer',
    examples: ['npx nexkit simulate react --from 081311112222 --message msg_01kmz3v7n2e0a8tq9fj6hx5c4d --emoji 👍'],
    options: {
      from: fromOption,
      message: messageOption,
      emoji: { type: 'string', help: 'the reaction; an empty text removes it', placeholder: 'emoji', fallback: '👍' },
      ...stageOptions,
    },
    async run({ values }) {
      const { written, simulation } = await play(values, ({ customers }, customer) =>
        customers.customerReacts({ ...customer, messageId: String(values.message), emoji: String(values.emoji) }),
      )
      printWritten(values, simulation, written)
    },
  }),
  defineCommand({
    name: 'simulate read',
    summary: 'Read messages as a simulated customer',
    examples: ['npx nexkit simulate read --from 081311112222'],
    options: {
      from: fromOption,
      message: { ...messageOption, help: 'read only this message, msg_… or wamid.…', isRequired: false },
      ...stageOptions,
    },
    async run({ values }) {
      const message = values.message === undefined ? {} : { messageId: String(values.message) }
      const { written: read, simulation } = await play(values, ({ customers }, customer) =>
        customers.customerReads({ ...customer, ...message }),
      )
      if (values.json) return printJson({ ...outcomeOf(simulation), read })
      printLine(read.length === 0 ? 'There were no unread messages.' : `Read: ${read.join(', ')}`)
    },
  }),
  defineCommand({
    name: 'simulate cart',
    summary: 'Send a cart as a simulated customer',
    examples: ['npx nexkit simulate cart --from 081311112222 --items "KOPI*2@18000,ROTI*1@12000"'],
    options: {
      from: fromOption,
      items: {
        type: 'string',
        help: 'items as sku*quantity@price, joined with commas',
        placeholder: 'items',
        isRequired: true,
      },
      text: { type: 'string', help: 'text of the message', placeholder: 'text' },
      currency: { type: 'string', help: 'currency of the prices', placeholder: 'code', fallback: 'IDR' },
      catalog: { type: 'string', help: 'id of the catalog', placeholder: 'id', fallback: CATALOG_ID },
      ...stageOptions,
    },
    async run({ values }) {
      const cart = readCart(values)
      const { written, simulation } = await play(values, ({ customers }, customer) =>
        customers.customerSendsOrder({ ...customer, cart }),
      )
      printWritten(values, simulation, written)
    },
  }),
  defineCommand({
    name: 'simulate change-number',
    summary: 'Change the phone number of a simulated customer',
    examples: ['npx nexkit simulate change-number --from 081311112222 --to 081399998888'],
    options: { from: fromOption, to: { ...fromOption, help: 'new phone number' }, ...stageOptions },
    async run({ values }) {
      const { written, simulation } = await play(values, ({ customers, organization }, customer) =>
        customers.customerChangesNumber({ ...customer, to: readPhone(values.to, 'to', organization) }),
      )
      printWritten(values, simulation, written)
    },
  }),
  defineCommand({
    name: 'simulate status',
    summary: 'Report a status of a sent message as the simulated network',
    examples: ['npx nexkit simulate status --message msg_01kmz3v7n2e0a8tq9fj6hx5c4d --status failed --code 131026'],
    options: {
      message: messageOption,
      status: { type: 'string', help: SIMULATED_STATUSES.join(', '), placeholder: 'status', isRequired: true },
      code: { type: 'string', help: 'error code of Meta, with --status failed', placeholder: 'n' },
      ...stageOptions,
    },
    async run({ values }) {
      const status = SIMULATED_STATUSES.find((known) => known === values.status)
      if (status === undefined) throw new UsageError(`--status must be one of ${SIMULATED_STATUSES.join(', ')}.`)
      const code = values.code === undefined ? {} : { errorCode: readCode(String(values.code)) }
      const simulation = await withSimulation(values, async (stage) => {
        const report = { number: stage.number, messageId: String(values.message), status, ...code }
        await stage.customers.networkReports(report)
        return stage
      })
      if (values.json) return printJson({ ...outcomeOf(simulation), message: values.message, status })
      printLine(`The network reported ${status} for message ${values.message}.`)
    },
  }),
]

/** On the stage, as the customer that the options name. */
async function play<Result>(
  values: CommandValues,
  work: (simulation: Simulation, customer: Customer) => Promise<Result>,
): Promise<{ written: Result; simulation: Simulation }> {
  return withSimulation(values, async (simulation) => {
    const customer: Customer = {
      number: simulation.number,
      from: readPhone(values.from, 'from', simulation.organization),
      ...(values.name !== undefined && { name: String(values.name) }),
      ...(values.username !== undefined && { username: String(values.username) }),
      ...(values['no-phone'] === true && { isPhoneHidden: true }),
    }
    return { written: await work(simulation, customer), simulation }
  })
}

const outcomeOf = ({ organization, number }: Simulation) => ({
  object: 'simulation',
  org: organization.slug,
  number: number.id,
})

function printWritten(values: CommandValues, simulation: Simulation, { provider_ids, person }: Written): void {
  if (values.json) {
    const { phone, user_id, username, name } = person
    printJson({ ...outcomeOf(simulation), provider_ids, person: { phone, user_id, username, name } })
    return
  }
  const who = `${person.name} (${person.phone === null ? person.user_id : `+${person.phone}`})`
  const many = provider_ids.length === 1 ? 'one message' : `${provider_ids.length} messages`
  printLine(`${who} sent ${many} to ${simulation.number.displayPhone}: ${provider_ids.slice(0, 3).join(', ')}`)
}

function readCount(text: string): number {
  const count = Number(text)
  if (!/^\d+$/.test(text) || count < 1 || count > MESSAGES_MAX)
    throw new UsageError(`--count must be a whole number from 1 to ${MESSAGES_MAX}.`)
  return count
}

function readCode(text: string): number {
  if (!/^\d{1,7}$/.test(text)) throw new UsageError('--code must be a number such as 131026.')
  return Number(text)
}

const readOrigin = ({ ad, product, forwarded }: CommandValues): InboundOrigin => ({
  ...(ad !== undefined && { referral: simulatedAd(String(ad)) }),
  ...(product !== undefined && {
    referredProduct: { catalog_id: CATALOG_ID, product_retailer_id: String(product) },
  }),
  ...(forwarded === true && { isForwarded: true }),
})

/** Numbered when there are several, so that they can be distinguished. */
const textsOf = (text: string, count: number): MessageContent[] =>
  Array.from({ length: count }, (_, index) => ({
    type: 'text',
    body: count === 1 ? text : `${text} (${index + 1})`,
  }))

const FILE_TYPES: Record<string, [MediaType, mimeType: string]> = {
  '.jpg': ['image', 'image/jpeg'],
  '.jpeg': ['image', 'image/jpeg'],
  '.png': ['image', 'image/png'],
  '.webp': ['sticker', 'image/webp'],
  '.mp4': ['video', 'video/mp4'],
  '.3gp': ['video', 'video/3gpp'],
  '.ogg': ['audio', 'audio/ogg; codecs=opus'],
  '.mp3': ['audio', 'audio/mpeg'],
  '.m4a': ['audio', 'audio/mp4'],
  '.aac': ['audio', 'audio/aac'],
  '.amr': ['audio', 'audio/amr'],
  '.pdf': ['document', 'application/pdf'],
  '.txt': ['document', 'text/plain'],
}

async function readMedia(path: string) {
  const bytes = await readFile(path).catch((error: Error) => {
    throw new UsageError(`--media cannot be read: ${error.message}`)
  })
  const [type, mimeType] = FILE_TYPES[extname(path).toLowerCase()] ?? ['document', 'application/octet-stream']
  return { type, mimeType, bytes: new Uint8Array(bytes), filename: basename(path), isVoice: type === 'audio' }
}

const ITEM = /^(?<sku>[^*@,]{1,100})(?:\*(?<quantity>[1-9]\d{0,5}))?@(?<price>\d{1,12}(?:\.\d{1,2})?)$/

function readCart(values: CommandValues): CartContent {
  const product_items = String(values.items)
    .split(',')
    .map((text) => {
      const item = ITEM.exec(text.trim())?.groups
      if (item === undefined)
        throw new UsageError(
          `--items: "${text.trim()}" is not an item. Write it like KOPI*2@18000 (two at 18000 each).`,
        )
      return {
        product_retailer_id: item.sku ?? '',
        quantity: Number(item.quantity ?? 1),
        item_price: Number(item.price),
        currency: String(values.currency),
      }
    })
  const text = values.text === undefined ? {} : { text: String(values.text) }
  return { catalog_id: String(values.catalog), ...text, product_items }
}
