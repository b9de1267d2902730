import { describe, expect, test } from 'bun:test'
import { readdirSync, readFileSync, statSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { STOPPED_WORDS } from './support/names.ts'

/** Lines with a stopped word, by area: text that users see and names that are stored. The numbers only ever go down. */
const LINES_LEFT: Record<string, number> = {
  'src/agents': 7,
  'src/platform': 8,
  'src/orders': 14,
  'src/events': 5,
  'src/messaging': 10,
  'src/request-logs': 1,
  'src/surfaces': 13,
  'src/payments': 5,
  'src/webhooks': 19,
  'src/accounts': 5,
  console: 0,
  test: 43,
  bench: 1,
  docs: 14,
}

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

const countLines = (paths: string[]): number =>
  paths.reduce(
    (sum, path) =>
      sum +
      readFileSync(join(root, path), 'utf8')
        .split('\n')
        .filter((line) => STOPPED_WORDS.test(line)).length,
    0,
  )

const areas = [
  ...readdirSync(join(root, 'src'))
    .filter((name) => statSync(join(root, 'src', name)).isDirectory())
    .map((name) => `src/${name}`),
  ...['console', 'sdk', 'test', 'bench', 'scripts', 'docs', 'examples'],
]

describe('words we do not use', () => {
  test.each(areas)('are not added to %s', (area) => {
    expect(countLines(filesBelow(area))).toBeLessThanOrEqual(LINES_LEFT[area] ?? 0)
  })
})
