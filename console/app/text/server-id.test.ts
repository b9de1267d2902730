import { expect, test } from 'bun:test'
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import openapi from '../../../openapi.json'
import { channelDefinitions } from '../../../src/channels/connectors/connectors.ts'
import type { ContentProblemCode } from '../../../src/channels/content/content-checks.ts'
import { systemClock } from '../../../src/kernel/clock.ts'
import { createPaymentProviders } from '../../../src/payments/connectors/connectors.ts'
import type { ChargeProblem } from '../../../src/payments/provider-calls/provider-calls.ts'
import { outboundErrorClasses } from '../../../src/platform/outbound-http/outbound-fault.ts'
import type { UrlProblem } from '../../../src/platform/outbound-http/url-check.ts'
import { bugs } from '../../../src/webhooks/certification/bugs.ts'
import { probeNames } from '../../../src/webhooks/certification/probes.ts'
import type { CustomHeaderProblem } from '../../../src/webhooks/endpoints/custom-headers.ts'
import { sentenceCodes } from '../../../src/webhooks/explain/explanation-codes.ts'
import { english } from './en.ts'
import type { Sentences } from './problems-id.ts'
import { serverWords } from './server-id.ts'
import { sentenceIn } from './text.tsx'

/** Problems of the console: the server did not answer, or not with a problem document. */
const OWN = ['offline', 'unreadable_answer']

test('every error of the server has an Indonesian sentence, and no other error has one', () => {
  const codes: string[] = openapi.components.schemas.Problem.properties.code['x-extensible-enum']
  expect(Object.keys(serverWords.problems).toSorted()).toEqual([...codes, ...OWN].toSorted())
})

/** A code that is new in one of these does not compile here until it is named. */
type FieldCode = ContentProblemCode | ChargeProblem['code'] | CustomHeaderProblem | UrlProblem
const FIELD_CODES: Record<FieldCode, true> = {
  required: true,
  wrong_type: true,
  wrong_format: true,
  not_allowed: true,
  unsupported: true,
  too_long: true,
  too_short: true,
  too_many: true,
  too_few: true,
  too_small: true,
  too_large: true,
  duplicate: true,
  blank: true,
  amount_required: true,
  amount_too_low: true,
  amount_too_high: true,
  expiry_too_short: true,
  expiry_too_long: true,
  too_many_headers: true,
  headers_too_large: true,
  header_name_malformed: true,
  header_name_reserved: true,
  header_name_repeated: true,
  header_value_malformed: true,
  url_too_long: true,
  url_has_control_characters: true,
  url_malformed: true,
  url_scheme_not_allowed: true,
  url_has_credentials: true,
  url_has_fragment: true,
  url_host_not_allowed: true,
  url_address_not_allowed: true,
  url_port_not_allowed: true,
}

test('so has everything that can be wrong with a field', () => {
  expect(Object.keys(FIELD_CODES).filter((code) => !(code in serverWords.fields))).toEqual([])
})

test('a sentence that is translated as a whole is one that the server still says', () => {
  const folder = join(import.meta.dirname, '../../../src')
  const files = readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter((name) =>
    /(?<!\.test)\.ts$/.test(name),
  )
  const source = files.map((name) => readFileSync(join(folder, name), 'utf8')).join('\n')
  expect(Object.keys(serverWords.sentences).filter((sentence) => !source.includes(sentence))).toEqual([])
})

test('every field that a connector asks for has a name and a help, and no other field has', () => {
  const connectors = [...channelDefinitions, ...Object.values(createPaymentProviders({ clock: systemClock }))]
  const asked = connectors.flatMap(({ name, fields }) => fields.map((field) => `${name}.${field.name}`))
  expect(Object.keys(serverWords.settings).toSorted()).toEqual(asked.toSorted())
})

test('so has every type of event, and every way in which a delivery gets no response', () => {
  expect(Object.keys(serverWords.events).toSorted()).toEqual(Object.keys(openapi.webhooks).toSorted())
  expect(Object.keys(serverWords.attempts).toSorted()).toEqual(outboundErrorClasses.toSorted())
  const faults = Object.keys(english).flatMap((name) => (name.startsWith('fault.') ? [name.slice(6)] : []))
  expect(faults.toSorted()).toEqual(outboundErrorClasses.toSorted())
})

test('so has every sentence of an explanation, and everything in the report of a certification', () => {
  const { stories, certification } = serverWords
  expect(Object.keys(stories).toSorted()).toEqual([...sentenceCodes].toSorted())
  expect(Object.keys(certification.bugs).toSorted()).toEqual(Object.keys(bugs).toSorted())
  expect(Object.keys(certification.probes).toSorted()).toEqual([...probeNames].toSorted())
  const grades = openapi.components.schemas.WebhookCertification.properties.grade['x-extensible-enum']
  expect(Object.keys(certification.grades)).toEqual(grades as string[])
})

test('every code has a sentence that needs no values', () => {
  const { problems, fields, attempts, failures, stories } = serverWords
  const needy = [problems, fields, attempts, failures, stories].flatMap((sentences: Sentences) =>
    Object.entries(sentences).filter(([, sentence]) =>
      /\{(?!detail\})/.test(typeof sentence === 'string' ? sentence : (sentence.at(-1) ?? '')),
    ),
  )
  expect(needy).toEqual([])
})

test('a sentence shows its values, falls back to one without them, and to the sentence of the server when there is none', () => {
  const sentence = (code: string, params?: Record<string, unknown>) =>
    sentenceIn(serverWords.fields, { code, detail: 'As the server says.', params })
  expect(sentence('amount_too_low', { min: 10_000, max: null })).toBe('Min. Rp 10.000.')
  expect(sentence('amount_too_high', { min: 10_000, max: null })).toBe('Nominalnya terlalu besar: As the server says.')
  expect(sentence('not_allowed', { allowed: ['qris', 'cash'] })).toBe('Pilih salah satu: qris, cash.')
  expect(sentence('not_allowed', { allowed: [] })).toBe('Ini tidak diizinkan di sini: As the server says.')
  expect(sentence('newer_than_this_list')).toBe('As the server says.')
  expect(sentenceIn(undefined, { code: 'required', detail: 'As the server says.' })).toBe('As the server says.')
})
