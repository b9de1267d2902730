import { expect, test } from 'bun:test'
import { readFileSync } from 'node:fs'
import openapi from '../../openapi.json'
import { actionNames, needsReview, REPLACED_PHRASES, stateNames } from './names.ts'

const { schemas } = openapi.components

test('every state that the API publishes has a name, and no other state has one', () => {
  const published = {
    order: schemas.Order.properties.status['x-extensible-enum'],
    orderPayment: schemas.Order.properties.payment_status['x-extensible-enum'],
    payment: schemas.Payment.properties.status['x-extensible-enum'],
    refund: schemas.Refund.properties.status['x-extensible-enum'],
    message: schemas.Message.properties.status['x-extensible-enum'],
    delivery: schemas.WebhookDelivery.properties.status['x-extensible-enum'],
    endpoint: schemas.WebhookEndpoint.properties.state['x-extensible-enum'],
    recovery: schemas.WebhookRecovery.properties.status['x-extensible-enum'],
    approval: schemas.Approval.properties.status['x-extensible-enum'],
    chat: schemas.Chat.properties.status['x-extensible-enum'],
  }
  for (const [group, states] of Object.entries(published))
    expect(Object.keys(stateNames[group as keyof typeof published]).toSorted()).toEqual(states.toSorted())
})

test('no two actions share a name, and no name is one that was replaced', () => {
  const actions = Object.values(actionNames)
  for (const language of ['en', 'id'] as const)
    expect(new Set(actions.map((action) => action[language])).size).toBe(actions.length)
  const names = [needsReview, ...actions, ...Object.values(stateNames).flatMap((states) => Object.values(states))]
  expect(names.filter(({ en }) => REPLACED_PHRASES.test(en))).toEqual([])
})

test.each(['en', 'id'] as const)('the reference of states has every state under its name (%s)', (language) => {
  const folder = language === 'en' ? 'docs' : 'docs/id'
  const page = readFileSync(new URL(`../../${folder}/reference/order-states.md`, import.meta.url), 'utf8')
  const listed = page
    .split('\n## ')
    .map((part) => [...part.matchAll(/^\| `(\w+)` \| ([^`|]+) \| [^`]/gm)].map((row) => [row[1], row[2]].join(': ')))
  for (const group of ['order', 'orderPayment', 'payment', 'refund'] as const)
    expect(listed.map((rows) => rows.join('\n'))).toContain(
      Object.entries(stateNames[group])
        .map(([state, name]) => `${state}: ${name[language]}`)
        .join('\n'),
    )
})
