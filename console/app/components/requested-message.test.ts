import { describe, expect, test } from 'bun:test'
import type { Approval } from '../api/approvals.ts'
import type { ChannelTemplate } from '../api/chats.ts'
import type { Message } from '../api/messages.ts'
import { hasLook, isShownInFull, requestedMessage } from './requested-message.ts'

const requested = (body: object) =>
  requestedMessage({ operation: 'sendMessage', request: { params: {}, query: {}, body } } as Approval, null) as Message
const aTemplate = (...components: object[]) =>
  ({ name: 'promo', language: 'id', status: 'APPROVED', category: 'UTILITY', components }) as ChannelTemplate

test('the message of a request is the one to be sent, word by word, or the one to be called off', () => {
  expect(requested({ to: 'x', body: ' Halo\n' })).toMatchObject({
    type: 'text',
    body: ' Halo\n',
    direction: 'outbound',
  })
  const scheduled = requested({ body: 'Besok tutup' })
  const request = { params: { id: 'msg_1' }, query: {}, body: null }
  expect(requestedMessage({ operation: 'cancelMessage', request } as unknown as Approval, scheduled)).toBe(scheduled)
  expect(requestedMessage({ operation: 'createOrder', request } as unknown as Approval, null)).toBeNull()
})

describe('what is more than words', () => {
  test('is drawn as the customer sees it, a template once its own words are known', () => {
    expect(['image', 'location', 'contacts', 'interactive'].map((type) => hasLook(requested({ type }), null))).toEqual([
      true,
      true,
      true,
      true,
    ])
    const template = requested({ type: 'template', template: { name: 'promo' } })
    expect([hasLook(requested({ body: 'Halo' }), null), hasLook(template, null)]).toEqual([false, false])
    expect(hasLook(template, aTemplate())).toBe(true)
  })

  test.each([
    ['words', { body: 'Halo' }, true],
    ['a picture', { type: 'image', media: { id: 'med_1' } }, true],
    ['a place', { type: 'location' }, true],
    ['a kind that is not known', { type: 'hologram' }, false],
    ['buttons', { type: 'interactive', interactive: { type: 'button', header: { type: 'text' } } }, true],
    [
      'buttons below a picture',
      { type: 'interactive', interactive: { type: 'button', header: { type: 'image' } } },
      false,
    ],
    ['a list', { type: 'interactive', interactive: { type: 'list' } }, false],
    ['a card', { type: 'contacts', contacts: [{ name: { formatted_name: 'A' }, phones: [{ phone: '1' }] }] }, true],
    ['a card that leads elsewhere', { type: 'contacts', contacts: [{ phones: [{ phone: '1', wa_id: '2' }] }] }, false],
    ['a card with an address', { type: 'contacts', contacts: [{ urls: [{ url: 'https://a.example' }] }] }, false],
  ])('is shown in full or has to be read as it is: %s', (_, body, isWhole) => {
    expect(isShownInFull(requested(body), null)).toBe(isWhole)
  })

  test('is shown in full by a template with usual buttons, or with words only', () => {
    const parameters = [{ type: 'image', image: { link: 'https://a.example/1.png' } }]
    const message = requested({
      type: 'template',
      template: { name: 'promo', components: [{ type: 'header', parameters }] },
    })
    const withButton = (type: string) => aTemplate({ type: 'BUTTONS', buttons: [{ type }] })
    expect(isShownInFull(message, null)).toBe(false)
    expect([isShownInFull(message, withButton('URL')), isShownInFull(message, withButton('FLOW'))]).toEqual([
      true,
      false,
    ])
    expect(isShownInFull(message, aTemplate({ type: 'CAROUSEL', cards: [] }))).toBe(false)
    const words = [{ parameters: [{ type: 'text', text: 'Sari' }] }]
    expect(isShownInFull(requested({ type: 'template', template: { name: 'promo', components: words } }), null)).toBe(
      true,
    )
  })
})
