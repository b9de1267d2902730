import { describe, expect, test } from 'bun:test'
import fc from 'fast-check'
import type { TemplateContent } from '../content/message-content.ts'
import { checkTemplateParameters, readBlanks } from './template-parameters.ts'

type Components = TemplateContent['components']

/** As `place code`, with what was to be given. */
const problems = (definition: object[], components?: unknown) =>
  checkTemplateParameters(readBlanks(definition), {
    name: 'a',
    language: { code: 'id' },
    ...(components !== undefined && { components: components as Components }),
  } as TemplateContent).map(({ path, code, params }) =>
    [path.slice(2).join('.'), code, params?.parameter].filter((part) => part !== undefined && part !== '').join(' '),
  )

const texts = (...values: string[]) => values.map((text) => ({ type: 'text', text }))
const named = (values: Record<string, string>) =>
  Object.entries(values).map(([parameter_name, text]) => ({ type: 'text', text, parameter_name }))
const body = (text: string) => ({ type: 'BODY', text })
const image = { type: 'image', image: { link: 'https://example.com/a.png' } }

describe('texts', () => {
  const two = [body('Order {{2}} of {{1}}, again {{1}}.')]

  test('are complete, or the first that is missing is named', () => {
    expect(problems(two, [{ type: 'body', parameters: texts('Sari', 'A-1') }])).toEqual([])
    expect(problems(two, [{ type: 'BODY', parameters: texts('Sari') }])).toEqual(['0.parameters required 2'])
    expect(problems(two)).toEqual(['required 1', 'required 2'])
    expect(problems(two, [{ type: 'body' }])).toEqual(['0.parameters required 1', '0.parameters required 2'])
  })

  test('are not too many, and not where there is no blank', () => {
    expect(problems(two, [{ type: 'body', parameters: texts('a', 'b', 'c') }])).toEqual(['0.parameters too_many'])
    expect(problems([body('Ready.')], [{ type: 'body', parameters: texts('a') }])).toEqual(['0.parameters too_many'])
    expect(problems([body('Ready.')], [{ type: 'header', parameters: [image] }])).toEqual(['0.parameters too_many'])
    expect(problems([body('Ready.')], [{ type: 'header', parameters: [] }, { type: 'body' }])).toEqual([])
    const twice = [{ type: 'body', parameters: texts('a', 'b') }, { type: 'body' }]
    expect(problems(two, twice)).toEqual(['1 duplicate'])
  })

  test('by name are asked for by name', () => {
    const greeting = [body('Hi {{customer}}, {{ total }} please.')]
    const given = (parameters: object[]) => [{ type: 'body', parameters }]
    expect(problems(greeting, given(named({ total: 'Rp 5', customer: 'Sari' })))).toEqual([])
    expect(problems(greeting, given(named({ customer: 'Sari' })))).toEqual(['0.parameters required total'])
    expect(problems(greeting, given(named({ customer: 'Sari', totl: 'Rp 5' })))).toEqual([
      '0.parameters.1.parameter_name not_allowed',
      '0.parameters required total',
    ])
    expect(problems(greeting, given(texts('Sari', 'Rp 5')))).toEqual([
      '0.parameters.0.parameter_name required',
      '0.parameters.1.parameter_name required',
      '0.parameters required customer',
      '0.parameters required total',
    ])
  })
})

describe('a header', () => {
  const pictured = [{ type: 'HEADER', format: 'IMAGE' }, body('Look.')]

  test('brings the kind of file that it has', () => {
    expect(problems(pictured, [{ type: 'header', parameters: [image] }])).toEqual([])
    expect(problems(pictured)).toEqual(['required image'])
    expect(problems(pictured, [{ type: 'header', parameters: texts('a') }])).toEqual(['0.parameters.0.type wrong_type'])
    expect(problems(pictured, [{ type: 'header', parameters: [image, image] }])).toEqual(['0.parameters too_many'])
  })

  test('of words takes words', () => {
    const titled = [{ type: 'HEADER', format: 'TEXT', text: 'Order {{1}}' }, body('Ready.')]
    expect(problems(titled, [{ type: 'header', parameters: texts('A-1') }])).toEqual([])
    expect(problems(titled, [{ type: 'header', parameters: [image] }])).toEqual(['0.parameters.0.type wrong_type'])
    expect(problems(titled)).toEqual(['required 1'])
  })

  test('of a kind that is not known here is left to the network', () => {
    expect(problems([{ type: 'HEADER', format: 'GIF' }, body('Hi')], [])).toEqual([])
  })
})

describe('buttons', () => {
  const buttons = [
    { type: 'QUICK_REPLY', text: 'Yes' },
    { type: 'URL', text: 'Track', url: 'https://example.com/{{1}}' },
    { type: 'URL', text: 'Shop', url: 'https://example.com/' },
    { type: 'PHONE_NUMBER', text: 'Call' },
    { type: 'COPY_CODE' },
    { type: 'NEW_KIND', text: '?' },
  ]
  const definition = [body('Hi'), { type: 'BUTTONS', buttons }]
  const button = (index: string, subType: string, ...parameters: object[]) => ({
    ...{ type: 'button', sub_type: subType, index },
    parameters,
  })
  const track = button('1', 'URL', ...texts('A-17'))
  const code = button('4', 'copy_code', { type: 'coupon_code', coupon_code: 'X' })

  test('name what they need, by their place', () => {
    expect(problems(definition, [track, code])).toEqual([])
    expect(problems(definition, [code])).toEqual(['required 1'])
    expect(problems(definition, [button('1', 'url'), code])).toEqual(['0.parameters required 1'])
    expect(problems(definition, [track])).toEqual(['required 4'])
    expect(problems(definition, [track, code, button('5', 'whatever', {}, {})])).toEqual([])
  })

  test('that are not there, of another kind, or without a blank are refused', () => {
    const rest = [track, code]
    expect(problems(definition, [...rest, button('6', 'url')])).toEqual(['2.index not_allowed'])
    expect(problems([body('Hi')], [button('0', 'url')])).toEqual(['0.index not_allowed'])
    expect(problems(definition, [...rest, button('0', 'url')])).toEqual(['2.sub_type not_allowed'])
    expect(problems(definition, [...rest, button('2', 'url', ...texts('a'))])).toEqual(['2.parameters too_many'])
    expect(problems(definition, [...rest, button('3', 'voice_call')])).toEqual(['2.sub_type not_allowed'])
    expect(problems(definition, [...rest, track])).toEqual(['2.index duplicate'])
  })
})

describe('a carousel', () => {
  const card = { components: [{ type: 'HEADER', format: 'IMAGE' }, body('{{1}}')] }
  const menu = [body('Menu'), { type: 'CAROUSEL', cards: [card, card] }]
  const filled = {
    components: [
      { type: 'header', parameters: [image] },
      { type: 'body', parameters: texts('a') },
    ],
  }

  test('has as many cards as it was approved with, each complete', () => {
    expect(problems(menu, [{ type: 'carousel', cards: [filled, filled] }])).toEqual([])
    expect(problems(menu, [{ type: 'carousel', cards: [filled] }])).toEqual(['0.cards too_few'])
    expect(problems(menu, [])).toEqual(['required'])
    expect(problems([body('Hi')], [{ type: 'carousel', cards: [filled] }])).toEqual(['0.type not_allowed'])
    const second = { card_index: 0, components: [{ type: 'header', parameters: [image] }] }
    expect(problems(menu, [{ type: 'carousel', cards: [filled, second] }])).toEqual(['0.cards.1.components required 1'])
  })
})

/** JavaScript cannot turn it into a string. */
const WITHOUT_TEXT = [{ toString: false }]

test('whatever a definition and a message hold, nothing is thrown', () => {
  const reply = [{ type: 'BUTTONS', buttons: [{ type: 'QUICK_REPLY', text: 'Yes' }] }]
  const json = fc.jsonValue()
  const typed = fc.record({
    type: fc.constantFrom('HEADER', 'body', 'BUTTONS', 'button', 'carousel', 'x'),
    format: json,
    text: json,
    buttons: json,
    cards: json,
    parameters: json,
    index: json,
    sub_type: json,
  })
  const parts = fc.array(fc.oneof(typed, json), { maxLength: 5 })
  fc.assert(
    fc.property(parts, parts, (definition, components) => {
      const found = checkTemplateParameters(readBlanks(definition), {
        name: 'a',
        language: { code: 'id' },
        components: components as NonNullable<Components>,
      })
      expect(Array.isArray(found)).toBe(true)
    }),
    {
      numRuns: 300,
      examples: [
        [[], [{ type: 'button', index: WITHOUT_TEXT }]],
        [reply, [{ type: 'button', index: 0, sub_type: WITHOUT_TEXT }]],
      ],
    },
  )
})
