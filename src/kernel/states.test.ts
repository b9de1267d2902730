import { describe, expect, test } from 'bun:test'
import { defineStates, drawStates, unreachableStates } from './states.ts'

const lamp = defineStates('lamp', { off: { press: 'on' }, on: { press: 'off', drop: 'broken' }, broken: {} }, ['off'])

describe('a table of states', () => {
  test('says where an action leads, and that others lead nowhere', () => {
    expect([lamp.next('off', 'press'), lamp.next('off', 'drop'), lamp.can('on', 'drop')]).toEqual(['on', null, true])
    expect(lamp.from('press')).toEqual(['off', 'on'])
    expect(lamp.final).toEqual(['broken'])
  })

  test('names the states that nothing leads to', () => {
    expect(unreachableStates(lamp)).toEqual([])
    const torn = defineStates('torn', { one: {}, two: { back: 'one' } }, ['one'])
    expect(unreachableStates(torn)).toEqual(['two'])
  })

  test('refuses to lead to a state that it does not have', () => {
    const table = { off: { press: 'gone' } } as unknown as { off: { press: 'off' } }
    expect(() => defineStates('lamp', table, ['off'])).toThrow('gone')
  })

  test('is drawn with every move in it', () => {
    for (const line of ['| – | create | `off` |', '| `on` | drop | `broken` |', 'Final: `broken`.'])
      expect(drawStates(lamp)).toContain(line)
  })
})
