import { expect, test } from 'bun:test'
import { serverWords } from '../text/server-id.ts'
import { consoleAdvice } from '../text/webhooks-en.ts'
import { nextTryAt, storyText } from './story-words.ts'

const tell = (code: string, details: Record<string, unknown>) =>
  storyText(serverWords, { code, says: 'As the server says.', details }, 'id')
const AT = '2026-11-14T09:30:00.000Z'

test('an attempt is shown with its response, its reason and the next one, as far as they are known', () => {
  const attempt = { number: 2, trigger: 'auto', url: 'https://shop.example', total_ms: 12.6 }
  const none = { response_status: null, error_class: null, error_detail: null, next_attempt_at: null }
  expect(tell('attempt_failed', { ...none, ...attempt, response_status: 500, next_attempt_at: AT })).toBe(
    'Percobaan 2 (otomatis) ke https://shop.example direspons 500 dalam 13 ms. Berikutnya dijadwalkan 14 Nov 2026, 16.30.00 WIB.',
  )
  expect(tell('attempt_failed', { ...none, ...attempt, error_class: 'dns', error_detail: 'No such host.' })).toBe(
    'Percobaan 2 (otomatis) ke https://shop.example tidak mendapat respons setelah 13 ms: Nama host tidak bisa ditemukan.',
  )
})

test('a delay is shown with its reason, and without it when the reason is not known', () => {
  expect(tell('outbox_not_due', { until: AT, detail: 'status_503' })).toContain('(respons 503)')
  expect(tell('outbox_not_due', { until: AT, detail: 'new_reason' })).toBe(
    'Percobaan berikutnya pada 14 Nov 2026, 16.30.00 WIB.',
  )
  expect(tell('outbox_lane_paused', { detail: 'endpoint_disabled' })).toContain('dinonaktifkan')
})

test('a test event is shown as one', () => {
  const type = 'key.created'
  expect(tell('event_recorded', { type, sequence: null, test: true })).toContain('dicatat sebagai uji')
  expect(tell('event_recorded', { type, sequence: 4711, test: false })).toContain('event #4.711')
})

test('a sentence that is new, and in English every one that needs no button, is the server’s own with the times of the shop', () => {
  const says = `It arrived at ${AT}; recover since "${AT}".`
  expect(storyText(null, { code: 'arrived', says, details: {} }, 'en')).toBe(
    `It arrived at 14 Nov 2026, 16:30:00 WIB; recover since "${AT}".`,
  )
  expect(tell('newer_than_this_list', {})).toBe('As the server says.')
})

test('advice in the console speaks of its buttons, not of calls of the API, in both languages', () => {
  const details = { delivery_id: 'dlv_1', mode: 'failed', since: AT, type: 'order.paid', group: 'order.*' }
  const says = 'Then resend it with POST /deliveries/dlv_1/resend.'
  expect(storyText(null, { code: 'then_resend', says, details }, 'en')).toBe('Then resend it.')
  expect(storyText(null, { code: 'recover_missing', says, details }, 'en')).toBe(
    'To send it anyway, recover what the endpoint missed since 14 Nov 2026, 16:30:00 WIB.',
  )
  const shown = [...Object.values(consoleAdvice), ...Object.values(serverWords.stories)].flat()
  expect(shown.filter((sentence) => /\b(POST|GET|PATCH|DELETE) |\bmode "|timeout_ms|max_per/.test(sentence))).toEqual(
    [],
  )
})

const LATER = '2026-11-14T09:31:00.000Z'
const saying = (details: Record<string, unknown>) => ({ answer: [{ code: 'outbox_breaker_open', says: '', details }] })

test('a delivery is tried at the later of its own time and what its endpoint waits for', () => {
  const delivery = { status: 'pending' as const, next_attempt_at: AT }
  expect(nextTryAt(delivery, undefined)).toBe(AT)
  expect(nextTryAt(delivery, saying({ until: LATER }))).toBe(LATER)
  expect(nextTryAt(delivery, saying({ until: null }))).toBe(AT)
  expect(nextTryAt({ ...delivery, next_attempt_at: LATER }, saying({ until: AT }))).toBe(LATER)
})

test('a delivery that is under way or over has no next try of its endpoint', () => {
  expect(nextTryAt({ status: 'in_flight', next_attempt_at: AT }, saying({ until: LATER }))).toBeNull()
  expect(nextTryAt({ status: 'succeeded', next_attempt_at: null }, saying({ until: LATER }))).toBeNull()
})
