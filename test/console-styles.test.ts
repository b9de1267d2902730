import { expect, test } from 'bun:test'
import { readdirSync, readFileSync } from 'node:fs'
import { dirname, join, resolve } from 'node:path'

const APP = resolve(import.meta.dirname, '..', 'console', 'app')
const IMPORTED = /(?:from|import) '(\.[^']+\.(?:tsx|css))'/g
const CLASSES = /className="([^"]+)"/g

/** A module with everything that it imports from the console. */
function modulesFrom(file: string, seen = new Set<string>()): Set<string> {
  if (seen.has(file)) return seen
  seen.add(file)
  for (const [, path = ''] of readFileSync(file, 'utf8').matchAll(IMPORTED))
    modulesFrom(join(dirname(file), path), seen)
  return seen
}

/** The class that each rule of a style sheet begins with. */
const leadingClasses = (css: string) => new Set([...css.matchAll(/^\.([a-z][a-z0-9-]*)/gm)].map(([, name]) => name))

test('a page of the console that uses a style of the work pages loads their style sheet', () => {
  const sheet = join(APP, 'work.css')
  const styled = leadingClasses(readFileSync(sheet, 'utf8'))
  const missing = readdirSync(join(APP, 'pages')).flatMap((page) => {
    const modules = modulesFrom(join(APP, 'pages', page))
    if (modules.has(sheet)) return []
    const texts = [...modules].filter((file) => file.endsWith('.tsx')).map((file) => readFileSync(file, 'utf8'))
    const used = texts.flatMap((text) => [...text.matchAll(CLASSES)].flatMap(([, names = '']) => names.split(' ')))
    return [...new Set(used)].filter((name) => styled.has(name)).map((name) => `${page}: .${name}`)
  })
  expect(missing).toEqual([])
})
