import { describe, expect, test } from 'bun:test'
import { readdirSync, readFileSync, statSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { STOPPED_PHRASES, STOPPED_WORDS } from './support/names.ts'

/** Lines with a stopped word or phrase, by area; an area that is not here has none. The numbers only ever go down. */
const LINES_LEFT: Record<string, number> = {
  console: 36,
  test: 56,
  bench: 17,
  docs: 1,
}

/** The account `nobody` of an operating system, and the stored name of a lane. */
const NAMES = /['`]nobody['`]|'webhooks upkeep'/g

const root = resolve(import.meta.dir, '..')
const isLeftOut = (path: string) =>
  /(?:^|\/)(?:node_modules|generated|dist|results)(?:\/|$)/.test(path) ||
  [
    'docs/writing.md',
    'test/words.test.ts',
    'test/support/names.ts',
    'scripts/check-commits.ts',
    'scripts/check-commits.test.ts',
  ].includes(path)

const filesBelow = (folder: string): string[] =>
  readdirSync(join(root, folder)).flatMap((name) => {
    const path = `${folder}/${name}`
    if (isLeftOut(path)) return []
    if (statSync(join(root, path)).isDirectory()) return filesBelow(path)
    return /\.(?:tsx?|js|py|php|md)$/.test(name) ? [path] : []
  })

const linesIn = (paths: string[]): string[] =>
  paths.flatMap((path) =>
    readFileSync(join(root, path), 'utf8')
      .split('\n')
      .map((line) => line.replaceAll(NAMES, ''))
      .filter((line) => STOPPED_WORDS.test(line) || STOPPED_PHRASES.test(line))
      .map((line) => `${path}: ${line.trim()}`),
  )

const areas = [
  ...readdirSync(join(root, 'src'))
    .filter((name) => statSync(join(root, 'src', name)).isDirectory())
    .map((name) => `src/${name}`),
  ...['console', 'sdk', 'test', 'bench', 'scripts', 'docs', 'examples'],
]

describe('words we do not use', () => {
  test.each(areas)('are not added to %s', (area) => {
    const lines = linesIn(filesBelow(area))
    expect(lines.length > (LINES_LEFT[area] ?? 0) ? lines : []).toEqual([])
  })
})
