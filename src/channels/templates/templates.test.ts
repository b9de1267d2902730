import { expect, test } from 'bun:test'
import { quietLog } from '../../../test/support/log.ts'
import { createScriptedChannel } from '../../../test/support/scripted-channel.ts'
import { until } from '../../../test/support/until.ts'
import type { OrgId } from '../../kernel/ids.ts'
import type { ChannelTemplate, TemplatesOutcome } from '../channel-connector.ts'
import { connectorMap } from '../channels-context.ts'
import type { OpenedNumber } from '../numbers/opened-numbers.ts'
import { createTemplateDirectory } from './templates.ts'

const MINUTE = 60_000
const template = (name: string): ChannelTemplate => ({
  ...{ name, language: 'id', status: 'APPROVED', category: 'UTILITY' },
  components: [{ type: 'BODY', text: '{{1}}' }],
})

/** A number whose network is scripted, on a clock that the test moves. */
function aDirectory() {
  const channel = createScriptedChannel()
  const time = { ms: 1_000_000 }
  const asked: number[] = []
  const listing = { answer: (): TemplatesOutcome | Promise<TemplatesOutcome> => ({ kind: 'done', templates: [] }) }
  channel.answerTemplatesWith(() => {
    asked.push(time.ms)
    return listing.answer()
  })
  const opened = { connector: channel, number: {} } as unknown as OpenedNumber
  const directory = createTemplateDirectory({
    connectors: connectorMap([channel, { ...createScriptedChannel({ name: 'fixed' }), templates: [template('one')] }]),
    numbers: { open: async () => opened, openById: async () => opened },
    clock: { now: () => time.ms },
    log: quietLog,
  })
  const owner = { orgId: 'org_1' as OrgId, id: 'num_1', connector: 'scripted', version: 1 }
  const names = (of = owner) => directory.peek(of)?.templates.map(({ name }) => name) ?? null
  return { directory, time, asked, listing, owner, names }
}

const list =
  (...names: string[]) =>
  (): TemplatesOutcome => ({ kind: 'done', templates: names.map(template) })

test('what a network always has is known at once and never asked for', () => {
  const { names, owner, asked, directory } = aDirectory()
  expect(names({ ...owner, connector: 'fixed' })).toEqual(['one'])
  directory.doubt({ ...owner, connector: 'fixed' })
  expect(asked).toEqual([])
})

test('templates that were created on a simulated network are not missed after a restart', async () => {
  const { directory, listing, names, owner } = aDirectory()
  const simulated = { ...owner, connector: 'fixed' }
  listing.answer = list('one', 'created')
  await directory.prepare(simulated)
  expect(names(simulated)).toEqual(['one', 'created'])
  expect(directory.prepare(simulated)).toBeNull()
  expect(directory.prepare(owner)).toBeNull()
})

test('a send never waits: the first look knows nothing and has it read, the next ones use it for five minutes', async () => {
  const { names, listing, time, asked } = aDirectory()
  listing.answer = list('paid')
  expect(names()).toBeNull()
  await until(() => names() !== null)
  listing.answer = list('paid', 'expired')
  time.ms += 5 * MINUTE
  expect(names()).toEqual(['paid'])
  expect(asked.length).toBe(1)
  time.ms += 1
  expect(names()).toEqual(['paid'])
  await until(() => names()?.length === 2)
  expect(asked.length).toBe(2)
})

test('after ten minutes without an answer nothing is known any more', async () => {
  const { names, listing, time } = aDirectory()
  listing.answer = list('paid')
  names()
  await until(() => names() !== null)
  listing.answer = () => Promise.reject(new Error('the network is gone'))
  time.ms += 10 * MINUTE + 1
  expect(names()).toBeNull()
})

test('a refusal has it read again, though not more often than twice a minute', async () => {
  const { names, listing, time, asked, directory, owner } = aDirectory()
  names()
  await until(() => names() !== null)
  listing.answer = list('approved_just_now')
  directory.doubt(owner)
  expect(asked.length).toBe(1)
  time.ms += 30_000
  directory.doubt(owner)
  await until(() => names()?.includes('approved_just_now') === true)
  expect(asked.length).toBe(2)
})

test('a number that cannot be read is asked for again only after a while, and once at a time', async () => {
  const { names, listing, time, asked } = aDirectory()
  const slow = Promise.withResolvers<TemplatesOutcome>()
  listing.answer = () => slow.promise
  for (let look = 0; look < 5; look++) expect(names()).toBeNull()
  await until(() => asked.length > 0)
  time.ms += MINUTE
  names()
  slow.reject(new Error('timed out'))
  await until(() => {
    names()
    return asked.length > 1
  })
  expect(asked).toEqual([1_000_000, 1_000_000 + MINUTE])
})

test('other credentials begin anew', async () => {
  const { names, listing, owner } = aDirectory()
  listing.answer = list('paid')
  names()
  await until(() => names() !== null)
  expect(names({ ...owner, version: 2 })).toBeNull()
})
