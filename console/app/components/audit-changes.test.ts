import { expect, test } from 'bun:test'
import { changesBy } from './audit-changes.ts'

const at = '2026-11-14T09:30:00.000Z'
const actor = { type: 'user', id: 'usr_1', name: 'Sari' }

test('an entry shows the fields before and after when an event of the same actor and moment has them', () => {
  const event = { created_at: '2026-11-14T09:30:00.120Z', actor: { id: 'usr_1' } }
  const [url, events] = [{ url: 'https://a.example' }, { events: ['order.*'] }]
  const data = { url: 'https://b.example', events: ['*'] }
  expect(
    changesBy({ at, actor }, [
      { ...event, data, previous: { ...url, ...events } },
      { ...event, actor: { id: 'usr_2' }, data, previous: { description: 'of another' } },
      { ...event, created_at: '2026-11-14T09:31:00.000Z', data, previous: { description: 'later' } },
      { ...event, data, previous: null },
    ]),
  ).toEqual([
    { field: 'url', before: 'https://a.example', after: 'https://b.example' },
    { field: 'events', before: '["order.*"]', after: '["*"]' },
  ])
})
