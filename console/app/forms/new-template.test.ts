import { describe, expect, test } from 'bun:test'
import { partsOf } from '../components/template-parts.ts'
import { componentsOf, emptyTemplate, exampleMessage, nameFrom, nextVariable, problemsIn } from './new-template.ts'

const ready = {
  ...emptyTemplate('id'),
  name: 'order_ready',
  body: 'Halo {{1}}, pesanan {{2}} siap.',
  examples: { 'body:1': 'Sari', 'body:2': 'A-1042' },
}

describe('a template while it is written', () => {
  test('becomes the components of WhatsApp, with quick replies before other buttons', () => {
    const draft = {
      ...ready,
      ...{ header: 'text' as const, headerText: 'Kabar {{toko}}', footer: ' Terima kasih ' },
      examples: { ...ready.examples, 'header:toko': 'Kopi Kita', 'button:1': 'https://toko.example/o/A-1042' },
      buttons: [
        { id: 1, type: 'url' as const, text: 'Lacak', value: 'https://toko.example/o/{{1}}' },
        { id: 2, type: 'phone_number' as const, text: 'Telepon', value: '+62 812-3456-789' },
        { id: 3, type: 'quick_reply' as const, text: 'Oke', value: '' },
      ],
    }
    expect(problemsIn(draft, false)).toEqual({})
    expect(componentsOf(draft, null)).toEqual([
      {
        ...{ type: 'HEADER', format: 'TEXT', text: 'Kabar {{toko}}' },
        example: { header_text_named_params: [{ param_name: 'toko', example: 'Kopi Kita' }] },
      },
      { type: 'BODY', text: ready.body, example: { body_text: [['Sari', 'A-1042']] } },
      { type: 'FOOTER', text: 'Terima kasih' },
      {
        type: 'BUTTONS',
        buttons: [
          { type: 'QUICK_REPLY', text: 'Oke' },
          {
            ...{ type: 'URL', text: 'Lacak', url: 'https://toko.example/o/{{1}}' },
            example: ['https://toko.example/o/A-1042'],
          },
          { type: 'PHONE_NUMBER', text: 'Telepon', phone_number: '+628123456789' },
        ],
      },
    ])
  })

  test('is shown with its examples', () => {
    const parts = partsOf({ components: componentsOf(ready, null) })
    expect(exampleMessage('order_ready', 'id', parts).components).toContainEqual({
      type: 'body',
      parameters: [
        { type: 'text', parameter_name: '1', text: 'Sari' },
        { type: 'text', parameter_name: '2', text: 'A-1042' },
      ],
    })
  })

  test.each([
    ['', 'template.missing'],
    ['{{1}} sudah siap.', 'templates.problem.edge'],
    ['Halo {{1}} dan {{nama}}!', 'templates.problem.mixed'],
    ['Halo {{2}}!', 'templates.problem.gap'],
  ])('says what WhatsApp would refuse in the body %p', (body, says) => {
    expect(problemsIn({ ...ready, body, examples: {} }, false).body?.says as string).toBe(says)
  })

  test('misses a name, a file, examples, and the values of buttons', () => {
    const buttons = [{ id: 1, type: 'url' as const, text: '', value: 'https://{{1}}/x' }]
    const draft = { ...ready, name: '', header: 'image' as const, examples: {}, buttons }
    expect(Object.keys(problemsIn(draft, false)).toSorted()).toEqual(
      ['name', 'file', 'body:1', 'body:2', 'button:1', 'text:1', 'value:1'].toSorted(),
    )
  })

  test('takes its name and its next variable from what is typed', () => {
    expect(nameFrom('Order Ready 2!')).toBe('order_ready_2_')
    expect([nextVariable('Halo'), nextVariable('{{1}} {{3}}')]).toEqual(['{{1}}', '{{4}}'])
  })
})
