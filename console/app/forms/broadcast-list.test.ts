import { expect, test } from 'bun:test'
import { readRecipients, unusableLines } from './broadcast-list.ts'

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

test('a line without a phone number is named by its number when titles and empty lines come before it', () => {
  expect(unusableLines('Phone,Name\n\n+62 812-3456-7890,Sari\nBudi,0813 5555 0001\n12,Tono')).toEqual([
    { line: 4, text: 'Budi' },
    { line: 5, text: '12' },
  ])
})

test('an opt-in that covers the whole list is given with each person', () => {
  expect(readRecipients('+6281234567890', 'checkout form')).toEqual([
    { to: '+6281234567890', opt_in: { source: 'checkout form' } },
  ])
})
