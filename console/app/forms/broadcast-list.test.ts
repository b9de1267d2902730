import { expect, test } from 'bun:test'
import { readRecipients } from './broadcast-list.ts'

test('pasted lines become people with their variables, whatever separates the cells', () => {
  expect(readRecipients('Phone,Name\n+62 812-3456-7890, Sari\r\n\n0813 5555 0001,"Budi"', '')).toEqual([
    { to: '+62 812-3456-7890', variables: ['Sari'] },
    { to: '0813 5555 0001', variables: ['Budi'] },
  ])
  expect(readRecipients('6281234567890\tSari\tkopi', '')).toEqual([
    { to: '6281234567890', variables: ['Sari', 'kopi'] },
  ])
  expect(readRecipients('', '')).toEqual([])
})

test('an opt-in that covers the whole list is given with each person', () => {
  expect(readRecipients('+6281234567890', 'checkout form')).toEqual([
    { to: '+6281234567890', opt_in: { source: 'checkout form' } },
  ])
})
