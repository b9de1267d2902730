import { expect, test } from 'bun:test'
import { idTime, isId, newId } from '../../kernel/ids.ts'
import { deliveryIdFor, deliveryIdRange } from './delivery-entry.ts'

test('is one per event and endpoint, and a proper id with the time of the event', () => {
  const [event, endpoint] = [newId('evt'), newId('wep')]
  const id = deliveryIdFor(event, endpoint)
  expect(id).toBe(deliveryIdFor(event, endpoint))
  expect(isId('dlv', id)).toBe(true)
  expect(idTime(id)).toEqual(idTime(event))
})

test('differs between the endpoints of an event and between the events of an endpoint', () => {
  const events = Array.from({ length: 200 }, () => newId('evt', 1_790_000_000_000))
  const endpoints = Array.from({ length: 50 }, () => newId('wep'))
  const ids = events.flatMap((event) => endpoints.map((endpoint) => deliveryIdFor(event, endpoint)))
  expect(new Set(ids).size).toBe(10_000)
})

test('sorts as the events do, and lies in the range of its event only', () => {
  const events = Array.from({ length: 20 }, () => newId('evt', 1_790_000_000_000))
  const endpoint = newId('wep')
  const ids = events.map((event) => deliveryIdFor(event, endpoint))
  expect(ids.toSorted()).toEqual(ids)
  for (const event of events) {
    const { from, to } = deliveryIdRange(event)
    expect(ids.filter((id) => id >= from && id < to)).toEqual([deliveryIdFor(event, endpoint)])
  }
})
