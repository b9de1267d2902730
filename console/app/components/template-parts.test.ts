import { expect, test } from 'bun:test'
import { buttonDetail, filledText, headerGiven, partsOf, wordsGiven } from './template-parts.ts'

const text = (words: string, name?: string) => ({ type: 'text', text: words, ...(name && { parameter_name: name }) })
const aTemplate = (...components: Record<string, unknown>[]) => ({ name: 'a', language: { code: 'id' }, components })

test('a text is filled by place or by name, and what is open stays to be seen', () => {
  expect(filledText('{{2}} for {{1}}', [text('Sari'), text('Rp 5')])).toBe('Rp 5 for Sari')
  expect(filledText('{{ a }} and {{b}}', [text('B', 'b'), text('A', 'a')])).toBe('A and B')
  expect(filledText('{{1}} and {{2}}', [text('')])).toBe('{{1}} and {{2}}')
  expect(filledText('{{1}}', [{ type: 'currency', currency: { fallback_value: 'Rp 5' } }])).toBe('Rp 5')
})

test('what a template has that no field is for is named', () => {
  const beyond = (...components: Record<string, unknown>[]) => partsOf({ components }).beyond
  expect(beyond({ type: 'CAROUSEL', cards: [] })).toEqual({ what: 'carousel', kind: '' })
  expect(beyond({ type: 'LIMITED_TIME_OFFER' })).toEqual({ what: 'offer', kind: '' })
  expect(beyond({ type: 'HEADER', format: 'PRODUCT' })).toEqual({ what: 'header', kind: 'product' })
  expect(beyond({ type: 'BUTTONS', buttons: [{ type: 'SPM', text: 'See' }] })).toEqual({ what: 'button', kind: 'spm' })
  expect(beyond({ type: 'HEADER', format: 'LOCATION' }, { type: 'BUTTONS', buttons: [{ type: 'URL' }] })).toBeNull()
})

test('what a message brings for the header and the buttons is found in either case', () => {
  const location = { latitude: 1, longitude: 2 }
  const template = aTemplate(
    { type: 'HEADER', parameters: [{ type: 'location', location }] },
    { type: 'body', parameters: [text('Sari'), text('12')] },
    { type: 'button', sub_type: 'url', index: 0, parameters: [text('a-1')] },
    { type: 'button', sub_type: 'copy_code', index: '1', parameters: [{ type: 'coupon_code', coupon_code: 'HEMAT' }] },
  )
  const link = { type: 'url', label: 'Track', url: 'https://shop.example/{{1}}' }
  expect(headerGiven(template)).toEqual({ type: 'location', location })
  expect(wordsGiven(template)).toBe('Sari · 12')
  expect(buttonDetail(link, 0, template)).toBe('https://shop.example/a-1')
  expect(buttonDetail({ type: 'copy_code', label: '', url: '' }, 1, template)).toBe('HEMAT')
  expect(headerGiven(aTemplate({ type: 'header', parameters: [{ type: 'image', image: { id: 'med_1' } }] }))).toEqual({
    type: 'image',
    media: { id: 'med_1' },
  })
  expect(headerGiven(aTemplate({ type: 'header', parameters: [{ type: 'location', location: {} }] }))).toBeNull()
})
