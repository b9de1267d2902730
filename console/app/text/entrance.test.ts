import { expect, test } from 'bun:test'
import { readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { english } from './en.ts'
import { entranceEnglish } from './en-entrance.ts'

const APP = join(import.meta.dir, '..')

/** The file and all that it imports, apart from types. */
function filesFrom(file: string, found = new Set<string>()): Set<string> {
  if (found.has(file)) return found
  found.add(file)
  const code = readFileSync(file, 'utf8')
  const imports = /(?:^import\s(?!type)[^'"]*|await import\()['"](\.[^'"]+\.tsx)['"]/gm
  for (const [, path = ''] of code.matchAll(imports)) filesFrom(join(dirname(file), path), found)
  return found
}

test('pages before sign-in use no words that are fetched after it', () => {
  const words = Object.keys(english).filter((key) => !(key in entranceEnglish))
  const code = [...filesFrom(join(APP, 'entrance.tsx'))].map((file) => readFileSync(file, 'utf8')).join('\n')
  const literals = new Set([...code.matchAll(/['`]([\w.]+)['`]/g)].map(([, key]) => key))
  const beginnings = [...code.matchAll(/`([\w.]+\.)\$\{/g)].map(([, beginning = '']) => beginning)
  const isUsed = (key: string) => literals.has(key) || beginnings.some((beginning) => key.startsWith(beginning))
  expect(words.filter(isUsed)).toEqual([])
})
