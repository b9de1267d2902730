import { describe, expect, test } from 'bun:test'
import { simulatorTemplates } from '../../../src/channels/connectors/simulator/templates.ts'
import { checkContent } from '../../../src/channels/content/content-limits.ts'
import type { MessageContent } from '../../../src/channels/content/message-content.ts'
import { checkTemplateParameters, readBlanks } from '../../../src/channels/templates/template-parameters.ts'
import type { ChannelTemplate } from '../api/chats.ts'
import { partsOf, type TemplateParts } from '../components/template-parts.ts'
import {
  emptyDraft,
  fieldsOf,
  fill,
  problemsOf,
  refusalsOf,
  type TemplateDraft,
  templateOf,
  withPlace,
} from './template-draft.ts'

const named = (name: string) => simulatorTemplates.find((template) => template.name === name) as ChannelTemplate
const aDraft = (values: Record<string, string>, isLink = false): TemplateDraft => ({ values, isLink })
const file = { id: 'med_1', name: 'nota.pdf' }
const components = (name: string, draft: TemplateDraft) =>
  fill(partsOf(named(name)), draft, file).map((one) => one.component)
const ofButtons = (...buttons: Record<string, unknown>[]) => partsOf({ components: [{ type: 'BUTTONS', buttons }] })

/** Something that suits each field. */
function completed(parts: TemplateParts, isLink: boolean): TemplateDraft {
  const { header, body, buttons } = fieldsOf(parts, { isLink })
  const suits = {
    json: '{"a": 1}',
    lines: 'KOPI\nROTI',
    link: 'https://shop.example/a',
    latitude: '-6,2',
    longitude: '106.8',
  }
  const fields = [...header, ...body, ...buttons]
  return aDraft(
    Object.fromEntries(fields.map(({ key, shape }) => [key, shape === undefined ? 'x' : suits[shape]])),
    isLink,
  )
}

test('a blank comes with the example that the template was approved with, by place or by name', () => {
  const body = { type: 'BODY', text: '{{1}} of {{2}}', example: { body_text: [['Rp 5', 'A-1']] } }
  const examplesOf = (...components: Record<string, unknown>[]) => {
    const asks = fieldsOf(partsOf({ components }), { isLink: false })
    return [...asks.header, ...asks.body].map(({ name, example }) => [name, example])
  }
  expect(examplesOf(body)).toEqual([
    ['1', 'Rp 5'],
    ['2', 'A-1'],
  ])
  const header_text_named_params = [{ param_name: 'order', example: 'A-1' }]
  const header = { type: 'HEADER', format: 'TEXT', text: 'Order {{order}}', example: { header_text_named_params } }
  expect(examplesOf(header, { type: 'BODY', text: 'Hi {{name}}' })).toEqual([
    ['order', 'A-1'],
    ['name', undefined],
  ])
})

describe('every template of the simulator', () => {
  const fillable = simulatorTemplates.filter((template) => partsOf(template).beyond === null)

  test('can be filled in, but for the one with cards', () => {
    const names = simulatorTemplates.filter((template) => !fillable.includes(template)).map(({ name }) => name)
    expect(names).toEqual(['menu'])
  })

  test.each([false, true])('is taken by the server when nothing is left to tell (by link: %p)', (isLink) => {
    for (const definition of fillable) {
      const parts = partsOf(definition)
      const draft = completed(parts, isLink)
      expect(problemsOf(parts, draft, { hasFile: true })).toEqual({})
      const template = templateOf(definition, fill(parts, draft, file)) as never
      expect([definition.name, checkTemplateParameters(readBlanks(definition.components), template)]).toEqual([
        definition.name,
        [],
      ])
      expect(checkContent({ type: 'template', template } as MessageContent)).toEqual([])
    }
  })

  test('is complete without a word only where the server misses none', () => {
    for (const definition of fillable) {
      const parts = partsOf(definition)
      if (Object.keys(problemsOf(parts, emptyDraft, { hasFile: false })).length > 0) continue
      const template = templateOf(definition, fill(parts, emptyDraft, null)) as never
      expect(checkTemplateParameters(readBlanks(definition.components), template)).toEqual([])
    }
  })
})

test('blanks are filled by number or by name, and what is optional and empty is left out', () => {
  const values = { 'header.1': 'A-1', 'body.1': ' JP-77 ', 'body.2': 'JNE', 'button.0.text': 'jp-77' }
  expect(components('parcel_sent', aDraft(values))).toEqual([
    { type: 'header', parameters: [{ type: 'text', text: 'A-1' }] },
    { type: 'body', parameters: ['JP-77', 'JNE'].map((text) => ({ type: 'text', text })) },
    { type: 'button', sub_type: 'url', index: '0', parameters: [{ type: 'text', text: 'jp-77' }] },
  ])
  expect(components('pickup_place', aDraft({ 'body.customer': 'Sari', 'body.order': 'A-1' }))[1]).toEqual({
    type: 'body',
    parameters: [
      { type: 'text', text: 'Sari', parameter_name: 'customer' },
      { type: 'text', text: 'A-1', parameter_name: 'order' },
    ],
  })
})

test('a document has the name that was typed, else that of the file; behind a link it has none of its own', () => {
  const document = (draft: TemplateDraft) => components('invoice', draft)[0]?.parameters
  expect(document(aDraft({}))).toEqual([{ type: 'document', document: { id: 'med_1', filename: 'nota.pdf' } }])
  expect(document(aDraft({ filename: 'Nota A-1.pdf' }))).toMatchObject([{ document: { filename: 'Nota A-1.pdf' } }])
  const link = 'https://shop.example/a.pdf'
  expect(document(aDraft({ link }, true))).toEqual([{ type: 'document', document: { link } }])
})

test('a place is read with a point or a comma, and pasted as both its numbers', () => {
  const values = withPlace({ 'place.name': 'Kopi Nusantara' }, 'place.latitude', '-6.2088, 106.8456')
  expect(components('pickup_place', aDraft(values))[0]?.parameters).toEqual([
    { type: 'location', location: { latitude: -6.2088, longitude: 106.8456, name: 'Kopi Nusantara' } },
  ])
  const parts = partsOf(named('pickup_place'))
  const problems = problemsOf(parts, aDraft({ 'place.latitude': '91', 'place.longitude': 'east' }), { hasFile: false })
  expect([problems['place.latitude'], problems['place.longitude']]).toEqual([
    { says: 'template.noDegrees', values: { max: 90 } },
    { says: 'template.noDegrees', values: { max: 180 } },
  ])
})

test('a button brings what its kind takes', () => {
  const given = (type: string, values: Record<string, string>) =>
    fill(ofButtons({ type, text: 'Tap' }), aDraft(values), null)[0]?.component
  const action = (sub_type: string, what: object) => ({ sub_type, parameters: [{ type: 'action', action: what }] })
  expect(given('QUICK_REPLY', { 'button.0.payload': 'later' })).toMatchObject({
    sub_type: 'quick_reply',
    parameters: [{ type: 'payload', payload: 'later' }],
  })
  expect(given('OTP', { 'button.0.text': '123' })).toMatchObject({ sub_type: 'url', parameters: [{ type: 'text' }] })
  expect(given('FLOW', { 'button.0.flow_token': 't', 'button.0.flow_action_data': '{"a":1}' })).toMatchObject(
    action('flow', { flow_token: 't', flow_action_data: { a: 1 } }),
  )
  expect(given('CATALOG', { 'button.0.thumbnail_product_retailer_id': 'KOPI' })).toMatchObject(
    action('catalog', { thumbnail_product_retailer_id: 'KOPI' }),
  )
  const items = [{ product_retailer_id: 'KOPI' }, { product_retailer_id: 'ROTI' }]
  expect(given('MPM', { 'button.0.title': 'Ours', 'button.0.products': 'KOPI\n ROTI \n' })).toMatchObject(
    action('mpm', { thumbnail_product_retailer_id: 'KOPI', sections: [{ title: 'Ours', product_items: items }] }),
  )
  expect([given('CATALOG', {}), given('FLOW', {}), given('PHONE_NUMBER', {})]).toEqual([
    undefined,
    undefined,
    undefined,
  ])
})

test('a value that is too long or malformed is reported before it is sent', () => {
  const parts = ofButtons({ type: 'COPY_CODE' }, { type: 'FLOW', text: 'Fill in' })
  const draft = aDraft({ 'button.0.coupon_code': 'X'.repeat(21), 'button.1.flow_action_data': '[1]' })
  expect(problemsOf(parts, draft, { hasFile: false })).toEqual({
    'button.0.coupon_code': { says: 'template.long', values: { max: 20, count: 21 } },
    'button.1.flow_action_data': { says: 'template.noJson' },
  })
})

test('a refusal of the server is shown at its field, and elsewhere when it has none', () => {
  const sent = fill(partsOf(named('invoice')), aDraft({ 'body.1': 'A-1' }), file)
  const at = (place: string) => ({ pointer: `#/template/components/${place}`, code: 'x', detail: place })
  const refusals = refusalsOf(
    [
      at('0/parameters/0/document'),
      at('0/parameters/0/document/filename'),
      at('1/parameters/0/text'),
      at('1/parameters'),
    ],
    sent,
  )
  expect(refusals).toEqual({
    atFields: {
      file: '0/parameters/0/document',
      filename: '0/parameters/0/document/filename',
      'body.1': '1/parameters/0/text',
    },
    elsewhere: [at('1/parameters')],
  })
})
