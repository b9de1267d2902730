import { expect, test } from 'bun:test'
import { newId } from '../../kernel/ids.ts'
import { mediaIdOf, wireMediaIdOf } from './media-ids.ts'

test('an id of a file is made of digits and leads back to the file', () => {
  for (let count = 0; count < 100; count++) {
    const id = newId('med')
    expect(wireMediaIdOf(id)).toMatch(/^[1-9]\d{29,38}$/)
    expect(mediaIdOf(wireMediaIdOf(id))).toBe(id)
    expect(mediaIdOf(id)).toBe(id)
  }
})

test('what is no id of a file is not taken for one', () => {
  const tooLarge = (2n ** 128n).toString()
  for (const other of ['', '106540352242922', 'med_1', tooLarge, '9'.repeat(39), `0${'1'.repeat(36)}`, 'x'.repeat(37)])
    expect(mediaIdOf(other)).toBeNull()
})
