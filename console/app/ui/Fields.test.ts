import { expect, test } from 'bun:test'
import { findChoices } from './Fields.tsx'

const countries = [
  { value: 'IN', label: 'India', words: ['IN'] },
  { value: 'ID', label: 'Indonesia', words: ['ID', '+62'] },
  { value: 'GB', label: 'United Kingdom', words: ['Inggris Raya', 'GB', '+44'] },
  { value: 'CI', label: 'Côte d’Ivoire', words: ['Pantai Gading', 'CI'] },
]
const found = (typed: string) => findChoices(countries, typed).map(({ value }) => value)

test('a choice is found when any of its names contains what is typed', () => {
  expect(found('Indonesia')).toEqual(['ID'])
  expect(found('inggris')).toEqual(['GB'])
  expect(found('62')).toEqual(['ID'])
  expect(found('cote')).toEqual(['CI'])
  expect(found('nowhere')).toEqual([])
})

test('a choice stands first when its name begins with what is typed', () => {
  expect(found('ci')).toEqual(['CI'])
  expect(found('in')).toEqual(['IN', 'ID', 'GB', 'CI'])
})
