import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'bun:test'
import { newId } from '../kernel/ids.ts'
import type {
  ChannelConnector,
  ChannelNumber,
  ChannelReport,
  OutboundMessage,
  RawHook,
  SendOutcome,
} from './channel-connector.ts'
import type { MessageContent } from './content/message-content.ts'

/**
 * What every channel must do, whichever network is behind it. A connector's own test file makes the world it works in
 * (a server that speaks the network's format, or the simulator itself) and hands it over; its oddities it tests beside.
 */
export type ConnectorWorld = {
  connector: ChannelConnector
  number: ChannelNumber
  /** The ids of our messages that reached the network, once for each time. */
  receivedIds(): string[]
  /**
   * A text that a customer wrote, as the network reports it, and its parts as a report should name them; with the hook it
   * comes in by, or null for a network that reports from within and takes no hook from anybody.
   */
  anInboundText(): { body: Uint8Array; hook: RawHook | null; providerId: string; text: string; phone: string }
  /** A body with three items for this number, of which the second makes no sense; the ids of the other two. */
  aBatchWithGarbage(): { body: Uint8Array; providerIds: [string, string] }
  /** A status of a message that was sent before, with the id we sent along. */
  aStatus(sent: { providerId: string; id: string }): Uint8Array
  /** The network is throttled, the credentials are wrong, or the answer gets lost after it was accepted: for one call. */
  throttleNext(): void
  refuseCredentialsNext(): void
  loseAnswerNext(): void
  /** The network cannot be reached at all, for one call. Null where there is nothing to reach. */
  unreachableNumber: ChannelNumber | null
  /** A file the network holds for us. */
  aRemoteFile(bytes: Uint8Array, mimeType: string): string
  close(): void
}

const PHONE = '6281200000001'
const MINUTE_MS = 60_000

const signal = () => AbortSignal.timeout(MINUTE_MS)

const aMessage = (content: MessageContent, more: Partial<OutboundMessage> = {}): OutboundMessage => ({
  id: newId('msg'),
  to: { phone: PHONE, userId: null },
  content,
  providerMediaId: null,
  replyToProviderId: null,
  reactsToProviderId: null,
  ...more,
})

const text = (body: string): MessageContent => ({ type: 'text', body })

/** One of each kind that can be sent. */
const EVERY_KIND: [MessageContent, Partial<OutboundMessage>?][] = [
  [text('Halo')],
  [{ type: 'image', body: 'Foto', media: { link: 'https://shop.example/a.jpg' } }],
  [{ type: 'video', media: { id: 'med_x' } }, { providerMediaId: '200000000000001' }],
  [{ type: 'audio', media: { id: 'med_x', voice: true } }, { providerMediaId: '200000000000001' }],
  [{ type: 'document', media: { link: 'https://shop.example/a.pdf', filename: 'a.pdf' } }],
  [{ type: 'sticker', media: { link: 'https://shop.example/a.webp' } }],
  [{ type: 'location', location: { latitude: -6.2, longitude: 106.8, name: 'Monas' } }],
  [{ type: 'contacts', contacts: [{ name: { formatted_name: 'Sari', first_name: 'Sari' } }] }],
  [
    {
      type: 'interactive',
      interactive: {
        type: 'button',
        body: { text: 'Jadi?' },
        action: { buttons: [{ type: 'reply', reply: { id: 'yes', title: 'Ya' } }] },
      },
    },
  ],
  [{ type: 'template', template: { name: 'order_ready', language: { code: 'id' } } }],
  [{ type: 'reaction', reaction: { message_id: 'msg_x', emoji: '👍' } }, { reactsToProviderId: 'wamid.inbound' }],
]

export function describeChannelConnector(name: string, createWorld: () => Promise<ConnectorWorld>): void {
  describe(`${name} keeps the contract of a channel`, () => {
    let world = {} as ConnectorWorld
    beforeAll(async () => {
      world = await createWorld()
    })
    afterAll(() => world.close())
    let before = 0
    beforeEach(() => {
      before = world.receivedIds().length
    })
    const received = () => world.receivedIds().slice(before)
    const send = (message: OutboundMessage, number = world.number) => world.connector.send(number, message, signal())
    const accepted = (outcome: SendOutcome) => {
      if (outcome.kind !== 'accepted') throw new Error(`not accepted: ${JSON.stringify(outcome)}`)
      return outcome
    }

    test.each(EVERY_KIND.map(([content, more = {}]) => [content.type, aMessage(content, more)] as const))(
      'a message of type %s is accepted once and gets an id of the network',
      async (_, message) => {
        const outcome = accepted(await send(message))
        expect(outcome.providerId).not.toBe('')
        expect(outcome.recipient.phone).toBe(PHONE)
        expect(received()).toEqual([message.id])
      },
    )

    test('what only ever comes in is refused for good, without a call', async () => {
      const outcome = await send(aMessage({ type: 'system', system: { type: 'notice' } }))
      expect(outcome).toMatchObject({ kind: 'refused', failure: { class: 'permanent' } })
      expect(received()).toEqual([])
    })

    test('throttling is to be tried again and reached no one', async () => {
      world.throttleNext()
      expect(await send(aMessage(text('Halo')))).toMatchObject({ kind: 'refused', failure: { class: 'retry' } })
      expect(received()).toEqual([])
    })

    test('refused credentials are the account’s trouble and reached no one', async () => {
      world.refuseCredentialsNext()
      const outcome = await send(aMessage(text('Halo')))
      expect(outcome).toMatchObject({ kind: 'refused', failure: { class: 'account', scope: 'number' } })
      expect(received()).toEqual([])
    })

    test('an answer that got lost is unknown, never a failure that may be repeated', async () => {
      const message = aMessage(text('Halo'))
      world.loseAnswerNext()
      expect((await send(message)).kind).toBe('unknown')
      expect(received()).toEqual([message.id])
    })

    test('a network that cannot be reached surely got nothing', async () => {
      if (world.unreachableNumber === null) return
      const outcome = await send(aMessage(text('Halo')), world.unreachableNumber)
      expect(outcome).toMatchObject({ kind: 'refused', failure: { class: 'retry', code: 'unavailable' } })
    })

    test('a status echoes the id we sent along', async () => {
      const message = aMessage(text('Halo'))
      const { providerId } = accepted(await send(message))
      const [report] = world.connector.readBatch(world.aStatus({ providerId, id: message.id }))
      expect(report).toMatchObject({ kind: 'status', providerId, clientToken: message.id })
    })

    test('a file goes up and gets the id of the network', async () => {
      const file = {
        type: 'image',
        mimeType: 'image/png',
        filename: 'a.png',
        bytes: new Uint8Array([1, 2, 3]),
      } as const
      const outcome = await world.connector.uploadMedia(world.number, file, signal())
      expect(outcome).toEqual({ kind: 'done', providerMediaId: expect.stringMatching(/.+/) })
    })

    test('a file of a customer comes down byte by byte', async () => {
      const bytes = Uint8Array.from({ length: 70_000 }, (_, index) => index % 251)
      const id = world.aRemoteFile(bytes, 'image/jpeg')
      const outcome = await world.connector.downloadMedia(world.number, id, signal())
      if (outcome.kind !== 'done') throw new Error(`not there: ${JSON.stringify(outcome)}`)
      expect(outcome.mimeType).toBe('image/jpeg')
      expect(Buffer.from(outcome.bytes).equals(Buffer.from(bytes))).toBe(true)
    })

    test('reading a message, typing and asking whether the credentials work are done', async () => {
      const read = { providerId: 'wamid.inbound', isTyping: true }
      expect(await world.connector.markRead(world.number, read, signal())).toEqual({ kind: 'done' })
      expect(await world.connector.probe(world.number, signal())).toEqual({ kind: 'done' })
    })

    test('what a customer writes is read into a message', () => {
      const { body, providerId, text: written, phone } = world.anInboundText()
      const [report] = world.connector.readBatch(body)
      const content = { type: 'text', body: written }
      expect(report).toMatchObject({ kind: 'message', providerId, from: { phone }, content })
    })

    test('a genuine hook is taken; one that was changed on the way, or bears no proof, is refused', () => {
      const { hook, body } = world.anInboundText()
      const bare: RawHook = { method: 'POST', query: new URLSearchParams(), headers: new Headers(), body }
      const changed = Uint8Array.from(body)
      changed[changed.length - 2] = (changed.at(-2) as number) ^ 1
      const verdict = (given: RawHook) => world.connector.readHook(world.number, given).kind
      expect(verdict(bare)).toBe('refused')
      expect(hook === null ? 'genuine' : verdict(hook)).toBe('genuine')
      expect(verdict({ ...(hook ?? bare), body: changed })).toBe('refused')
    })

    test('garbage in a batch sinks nothing beside it', () => {
      const { body, providerIds } = world.aBatchWithGarbage()
      const reports = world.connector.readBatch(body)
      const idsOf = (report: ChannelReport) => (report.kind === 'message' ? [report.providerId] : [])
      expect(reports.flatMap(idsOf)).toEqual(providerIds)
      expect(reports.map((report) => report.kind)).toContain('unreadable')
    })

    test('whatever bytes come in, reading them throws nothing and says something', () => {
      const bodies = ['', 'x', '[]', '{}', '{"entry":7}', 'null', '"', '{"a":'.repeat(2_000), `${'['.repeat(20_000)}`]
      for (const body of bodies) {
        const reports = world.connector.readBatch(new TextEncoder().encode(body))
        expect([body.slice(0, 20), reports.map((report) => report.kind)]).toEqual([body.slice(0, 20), ['unreadable']])
      }
    })

    test('every field says what it is, and names stand once', () => {
      const names = world.connector.fields.map((field) => field.name)
      expect(new Set(names).size).toBe(names.length)
      for (const field of world.connector.fields) expect([field.label, field.help].includes('')).toBe(false)
    })
  })
}
