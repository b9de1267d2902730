import { expect, test } from 'bun:test'
import { newId } from '../../kernel/ids.ts'
import { messageIdOf, wireIdOf } from './wire-ids.ts'

test('an id that was given leads back to its message', () => {
  for (let count = 0; count < 100; count++) {
    const id = newId('msg')
    expect(wireIdOf(id)).toMatch(/^wamid\.HBge[A-Za-z0-9+/]+=*$/)
    expect(messageIdOf(wireIdOf(id))).toBe(id)
  }
})

test('our own ids are taken as they are', () => {
  const id = newId('msg')
  expect(messageIdOf(id)).toBe(id)
})

test('an id that the network gave is not taken for ours', () => {
  const meta = `wamid.${Buffer.concat([Buffer.from([0x1c, 0x18, 13]), Buffer.from('6281200000001'), Buffer.alloc(30, 65)]).toString('base64')}`
  const chat = wireIdOf(newId('msg')).slice(0, -8)
  for (const other of [meta, chat, 'wamid.', 'wamid.HBge', 'wamid.!!!', 'msg_1', '', 'x'.repeat(500)])
    expect(messageIdOf(other)).toBeNull()
})

test('there is one spelling of an id and no other', () => {
  const wireId = wireIdOf(newId('msg'))
  expect(messageIdOf(`${wireId} `)).toBeNull()
  expect(messageIdOf(wireId.toLowerCase())).toBeNull()
})
