import { afterAll, describe, expect, test } from 'bun:test'
import { createServer } from 'node:net'
import { openDeliveryBench } from '../../../test/support/delivery.ts'
import { aFreePort } from '../../../test/support/server.ts'
import {
  byHand,
  byTheBook,
  type Handle,
  secretBytes,
  startWebhookReceiver,
  typeOf,
  type WebhookReceiver,
  withoutVerification,
} from '../../../test/support/webhook-receivers.ts'
import { ApiKeyShape } from '../../events/account.events.ts'
import { envelopeOf, findEventType } from '../../events/event-catalogue.ts'
import { systemClock } from '../../kernel/clock.ts'
import { createSigningKeyPair, createSigningSecret, parseSigningKey, type SigningKey } from '../signing/signature.ts'
import type { BugCode } from './bugs.ts'
import { reportOf } from './certification.jobs.ts'
import { verdictOf } from './judgement.ts'
import type { ProbeTarget, Workbench } from './messages.ts'
import { probeNames } from './probes.ts'
import { type CertificationRun, RUN_DEFAULTS, runCertification } from './run.ts'
import { createSender } from './target.ts'

const bench = openDeliveryBench()
const receivers: WebhookReceiver[] = []
afterAll(() => {
  bench.close()
  for (const receiver of receivers) receiver.stop()
})

const secret = createSigningSecret()
const key = secretBytes(secret)
const v1 = parseSigningKey(secret) as SigningKey

type Options = Partial<typeof RUN_DEFAULTS> & { target?: Partial<ProbeTarget>; answerHeaders?: Record<string, string> }

async function certifyUrl(url: string, { target: changes, ...limits }: Options = {}): Promise<CertificationRun> {
  const target = { url, timeoutMs: 2_000, headers: {}, keys: [v1], secrets: [secret], ...changes }
  const workbench: Workbench = {
    target,
    orgId: 'org_01k9x3m5q8e0t9v7a2b4c6d8fg',
    type: findEventType('key.created') as Workbench['type'],
    clock: systemClock,
  }
  const send = createSender(target, { client: bench.client(), clock: systemClock })
  return runCertification(workbench, { ...RUN_DEFAULTS, send, wait: async () => {}, ...limits })
}

async function certify(handle: Handle, options: Options = {}) {
  const receiver = await startWebhookReceiver(handle, options.answerHeaders)
  receivers.push(receiver)
  return { run: await certifyUrl(receiver.url, options), receiver }
}

const found = (run: CertificationRun): BugCode[] => run.bugs.map((bug) => bug.code)
const verdicts = (run: CertificationRun) => Object.fromEntries(run.runs.map((each) => [each.name, verdictOf(each)]))

describe('a sound receiver', () => {
  test('built on the official library gets an A, every probe passed', async () => {
    const { run, receiver } = await certify(byTheBook(secret))
    expect([run.grade, found(run)]).toEqual(['A', []])
    expect(verdicts(run)).toEqual(Object.fromEntries(probeNames.map((name) => [name, 'pass'])))
    expect(receiver.received.length).toBe(17)
  })

  test('gets every probe marked as a test, and the plain one in the published shape', async () => {
    const { receiver } = await certify(byTheBook(secret))
    const bodies = receiver.received.map(({ body }) => JSON.parse(body.toString()))
    expect(bodies.every((body) => body.test === true)).toBe(true)
    const type = findEventType('key.created') as Workbench['type']
    expect(envelopeOf(type).safeParse(bodies[0]).success).toBe(true)
    expect(ApiKeyShape.safeParse(bodies[0].data).success).toBe(true)
  })

  test('that is given two live secrets of ours still gets an A', async () => {
    const newer = parseSigningKey(createSigningSecret()) as SigningKey
    const { run } = await certify(byTheBook(secret), { target: { keys: [newer, v1] } })
    expect(run.grade).toBe('A')
  })

  test('gets the custom headers of its endpoint', async () => {
    const { receiver } = await certify(byTheBook(secret), { target: { headers: { authorization: 'Bearer inner' } } })
    expect(new Set(receiver.received.map(({ headers }) => headers.authorization))).toEqual(new Set(['Bearer inner']))
  })
})

describe('verification', () => {
  test('that is missing is named as such, once, for all that got in', async () => {
    const { run } = await certify(withoutVerification)
    expect([run.grade, found(run)]).toEqual(['F', ['does_not_verify']])
    expect(run.bugs[0]?.probes).toEqual([
      'forged_signature',
      'missing_signature',
      'tampered_body',
      'old_timestamp',
      'future_timestamp',
    ])
  })

  test('that is left out when there is no signature is distinguished from no check at all', async () => {
    const verify = byTheBook(secret)
    const { run } = await certify((webhook) => (webhook.headers['webhook-signature'] ? verify(webhook) : 200))
    expect([run.grade, found(run)]).toEqual(['F', ['accepts_unsigned']])
  })

  test('that crashes on a forgery is a warning, not a failure', async () => {
    const verify = byTheBook(secret)
    const { run } = await certify(async (webhook) => ((await verify(webhook)) === 401 ? 500 : 204))
    expect([run.grade, found(run)]).toEqual(['B', ['forgery_fails']])
  })

  test('without a check of the timestamp is named', async () => {
    const { run } = await certify(byHand({ key, toleranceSeconds: Number.POSITIVE_INFINITY }))
    expect([run.grade, found(run)]).toEqual(['C', ['no_timestamp_check']])
    expect(verdicts(run)).toMatchObject({ old_timestamp: 'fail', future_timestamp: 'fail', forged_signature: 'pass' })
  })

  test('that compares the header as a whole is named, and distinguished from looking at the first signature only', async () => {
    const whole = await certify(byHand({ key, matches: (text, expected) => text === `v1,${expected}` }))
    expect([whole.run.grade, found(whole.run)]).toEqual(['C', ['header_compared_whole']])
    const first = await certify(byHand({ key, matches: (text, expected) => text.split(' ')[0] === `v1,${expected}` }))
    expect([first.run.grade, found(first.run)]).toEqual(['C', ['first_signature_only']])
  })

  test('that hashes the body serialised again is named', async () => {
    const { run } = await certify(
      byHand({ key, content: (id, time, body) => `${id}.${time}.${JSON.stringify(JSON.parse(body.toString()))}` }),
    )
    expect([run.grade, found(run)]).toEqual(['C', ['body_reserialized']])
  })

  test('that decodes the body as Latin-1 is named', async () => {
    const { run } = await certify(
      byHand({ key, content: (id, time, body) => `${id}.${time}.${body.toString('latin1')}` }),
    )
    expect([run.grade, found(run)]).toEqual(['C', ['body_reencoded']])
  })
})

type Json = Record<string, unknown>

describe('a receiver that refuses plain events is tried with the usual mistakes', () => {
  const spellWithBlanks = (body: Buffer) =>
    JSON.stringify(JSON.parse(body.toString()), null, 1)
      .replaceAll(/\n\s*/g, ' ')
      .replaceAll(/(?<=[[{]) | (?=[\]}])/g, '')
  const sorted = (value: unknown): unknown =>
    Array.isArray(value)
      ? value.map(sorted)
      : typeof value === 'object' && value !== null
        ? Object.fromEntries(
            Object.keys(value)
              .sort()
              .map((name) => [name, sorted((value as Json)[name])]),
          )
        : value
  const respelt: [string, (value: unknown) => string][] = [
    ['with sorted keys', (value) => JSON.stringify(sorted(value))],
    ['pretty-printed with two blanks', (value) => JSON.stringify(value, null, 2)],
    ['pretty-printed with four blanks', (value) => JSON.stringify(value, null, 4)],
    ['with escaped slashes, as PHP writes it', (value) => JSON.stringify(value).replaceAll('/', '\\/')],
    ['with a line break at its end', (value) => `${JSON.stringify(value)}\n`],
  ]
  const respelling = (spell: (value: unknown) => string) =>
    byHand({ key, content: (id, time, body) => `${id}.${time}.${spell(JSON.parse(body.toString()))}` })
  const mistakes: [BugCode, Handle][] = [
    ['secret_as_text', byHand({ key: Buffer.from(secret.slice('whsec_'.length)) })],
    ['secret_as_text', byHand({ key: Buffer.from(secret) })],
    ['secret_prefix_decoded', byHand({ key: Buffer.from(secret, 'base64') })],
    ['digest_as_hex', byHand({ key, digest: 'hex' })],
    ['version_not_removed', byHand({ key, matches: (text, expected) => text === expected })],
    ['body_alone_hashed', byHand({ key, content: (_id, _time, body) => body })],
    ['body_reserialized', byHand({ key, content: (id, time, body) => `${id}.${time}.${spellWithBlanks(body)}` })],
    ...respelt.map(([, spell]): [BugCode, Handle] => ['body_reserialized', respelling(spell)]),
    [
      'milliseconds_expected',
      ({ headers, ...rest }) =>
        Math.abs(Number(headers['webhook-timestamp']) - Date.now()) > 300_000
          ? 401
          : byHand({ key, toleranceSeconds: Number.POSITIVE_INFINITY })({ headers, ...rest }),
    ],
  ]

  test.each(mistakes)('%s', async (bug, handle) => {
    const { run } = await certify(handle)
    expect([run.grade, found(run)]).toEqual(['F', [bug]])
    expect(run.trials.at(-1)).toMatchObject({ isAccepted: true, trial: { bug } })
    expect(verdicts(run)).toMatchObject({ plain: 'fail', forged_signature: 'skipped', large_body: 'skipped' })
  })

  test.each(respelt)('one that hashes the body %s finds it in the report', async (says, spell) => {
    const { run } = await certify(respelling(spell))
    const plain = reportOf(run).probes.find(({ name }) => name === 'plain')
    expect([found(run), plain?.detail]).toEqual([['body_reserialized'], expect.stringContaining(says)])
  })

  test('one with another secret is not blamed for a mistake it does not make', async () => {
    const { run } = await certify(byTheBook(createSigningSecret()))
    expect([run.grade, found(run)]).toEqual(['F', ['genuine_refused']])
    expect(run.trials.every((trial) => !trial.isAccepted)).toBe(true)
  })

  test('one that knows v1 only, on an endpoint that signs with v1a', async () => {
    const pair = parseSigningKey(createSigningKeyPair().privateKey) as SigningKey
    const { run } = await certify(byTheBook(secret), { target: { keys: [pair] } })
    expect(found(run)).toEqual(['v1a_not_supported'])
  })

  test('one that compares the header as a whole, on an endpoint with two live secrets', async () => {
    const newer = parseSigningKey(createSigningSecret()) as SigningKey
    const handle = byHand({ key, matches: (text, expected) => text === `v1,${expected}` })
    const { run } = await certify(handle, { target: { keys: [newer, v1] } })
    expect([run.grade, found(run)]).toEqual(['F', ['header_compared_whole']])
  })

  test('one whose clock is off', async () => {
    const date = new Date(Date.now() - 3_600_000).toUTCString()
    const { run } = await certify(() => 401, { answerHeaders: { date } })
    expect(found(run)).toEqual(['clock_off'])
  })
})

describe('handling', () => {
  const verify = byTheBook(secret)
  const unless =
    (status: number, isMet: (webhook: Parameters<Handle>[0]) => boolean): Handle =>
    async (webhook) =>
      (await verify(webhook)) === 204 && isMet(webhook) ? status : verify(webhook)

  test('a 500 on an unknown type fails, a 400 on it is a warning', async () => {
    const crashes = await certify(unless(500, (webhook) => typeOf(webhook) !== 'key.created'))
    expect([crashes.run.grade, found(crashes.run)]).toEqual(['C', ['unknown_type_fails']])
    const refuses = await certify(unless(400, (webhook) => typeOf(webhook) !== 'key.created'))
    expect([refuses.run.grade, found(refuses.run)]).toEqual(['B', ['unknown_type_refused']])
  })

  test('refusing what was already seen is named', async () => {
    const seen = new Set<string>()
    const isSeen = ({ headers }: Parameters<Handle>[0]) => seen.size === seen.add(String(headers['webhook-id'])).size
    const { run } = await certify(unless(409, isSeen))
    expect([run.grade, found(run)]).toEqual(['C', ['duplicate_refused']])
  })

  test('refusing an older event after a newer one is named', async () => {
    let last = ''
    const isOlder = ({ body }: Parameters<Handle>[0]) => {
      const { created_at: createdAt } = JSON.parse(body.toString())
      const isBehind = createdAt < last
      last = createdAt
      return isBehind
    }
    const { run } = await certify(unless(409, isOlder))
    expect(found(run)).toEqual(['order_assumed'])
  })

  test('refusing unknown members is named', async () => {
    const { run } = await certify(unless(422, ({ body }) => body.includes('certification_member')))
    expect(found(run)).toEqual(['unknown_members_refused'])
  })

  test('a body limit below 200 KiB is named, and so is a body that is too much to answer in time', async () => {
    const refuses = await certify(({ body, ...rest }) => (body.length > 100_000 ? 413 : verify({ body, ...rest })))
    expect(found(refuses.run)).toEqual(['large_body_refused'])
    const hangs = await certify(
      ({ body, ...rest }) => (body.length > 100_000 ? new Promise<number>(() => {}) : verify({ body, ...rest })),
      { target: { timeoutMs: 200 } },
    )
    expect(found(hangs.run)).toEqual(['large_body_not_answered'])
  })

  test('slowness is a warning, more of it a failure', async () => {
    const slowly: Handle = (webhook) => new Promise((resolve) => setTimeout(() => resolve(verify(webhook)), 25))
    const slow = await certify(slowly, { slowMs: 10 })
    expect([slow.run.grade, found(slow.run)]).toEqual(['B', ['slow']])
    const tooSlow = await certify(slowly, { slowMs: 5, tooSlowMs: 10 })
    expect([tooSlow.run.grade, found(tooSlow.run)]).toEqual(['C', ['very_slow']])
  })

  test('two serious bugs are a D, and the worst one is in the summary', async () => {
    const seen = new Set<string>()
    const { run } = await certify(
      unless(500, (webhook) => {
        const isSeen = seen.size === seen.add(String(webhook.headers['webhook-id'])).size
        return isSeen || typeOf(webhook) !== 'key.created'
      }),
    )
    expect([run.grade, found(run)]).toEqual(['D', ['duplicate_refused', 'unknown_type_fails']])
    expect(run.summary).toContain('already handled')
  })
})

describe('a receiver that cannot be judged', () => {
  test('because it cannot be reached gets one probe, and the others are skipped', async () => {
    const run = await certifyUrl(`http://127.0.0.1:${await aFreePort()}/hook`)
    expect([run.grade, found(run)]).toEqual(['F', ['not_reached']])
    expect(Object.values(verdicts(run)).filter((verdict) => verdict === 'skipped').length).toBe(14)
  })

  test('because nothing is at this path is distinguished from a redirect', async () => {
    expect(found((await certify(() => 404)).run)).toEqual(['url_not_found'])
    expect(found((await certify(() => 308, { answerHeaders: { location: 'https://x.example/' } })).run)).toEqual([
      'redirects',
    ])
  })

  test('because it never answers costs one timeout', async () => {
    let asked = 0
    const silent = createServer(() => {
      asked += 1
    })
    await new Promise<void>((resolve) => silent.listen(0, '127.0.0.1', resolve))
    const { port } = silent.address() as { port: number }
    const run = await certifyUrl(`http://127.0.0.1:${port}/`, { target: { timeoutMs: 200 } })
    silent.close()
    expect([found(run), asked]).toEqual([['not_answered'], 1])
  })

  test('because it limits the rate is given a second chance, and not blamed for more', async () => {
    const verify = byTheBook(secret)
    let count = 0
    const patient = await certify((webhook) => (++count % 2 === 1 ? 429 : verify(webhook)))
    expect(patient.run.grade).toBe('A')
    const strict = await certify((webhook) => (typeOf(webhook) === 'key.created' ? verify(webhook) : 429))
    expect([strict.run.grade, found(strict.run)]).toEqual(['B', ['rate_limited']])
  })

  test('in the time there is gets what is left skipped, and no A', async () => {
    const { run } = await certify(byTheBook(secret), { limitMs: -1 })
    expect([run.grade, found(run)]).toEqual(['B', ['not_finished']])
    expect(verdicts(run)).toMatchObject({ plain: 'pass', forged_signature: 'skipped', rotated_known_first: 'skipped' })
  })
})
