import { afterAll, beforeAll, expect, test } from 'bun:test'
import { spawnSync } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

/** How `npm test` judges the outcome of its files, tried in a temporary folder. */
const RUNNER = join(import.meta.dirname, '..', 'scripts', 'run-tests.ts')

let folder: string
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'nexkit-runner-'))
})
afterAll(() => rmSync(folder, { recursive: true }))

const write = (name: string, text: string) =>
  writeFileSync(join(folder, name), `import { test } from 'bun:test'\n${text}`)

/** Fails the first time that it runs and passes from then on. */
const flaky = (mark: string) => `
import { existsSync, writeFileSync } from 'node:fs'
test('flaky', () => {
  if (existsSync('${mark}')) return
  writeFileSync('${mark}', '')
  throw new Error('not yet')
})`

const run = (...paths: string[]) => {
  const { status, stdout } = spawnSync(process.execPath, [RUNNER, ...paths], { cwd: folder, encoding: 'utf8' })
  return { status, stdout }
}

test('a run passes and names the file in its last lines when one file passes only at its second try', () => {
  write('one.test.ts', flaky('one-ran'))
  const { status, stdout } = run('one')
  expect(stdout.trimEnd().split('\n').at(-1)).toBe('needed a second try: flaky (one.test.ts)')
  expect(status).toBe(0)
})

test('a run fails when two files need a second try', () => {
  write('three-a.test.ts', flaky('three-a-ran'))
  write('three-b.test.ts', flaky('three-b-ran'))
  expect(run('three').status).toBe(1)
})

test('a run fails when a file cannot be read, although the others pass at their second try', () => {
  write('two.test.ts', flaky('two-ran'))
  write('two-unreadable.test.ts', `throw new Error('unreadable')`)
  expect(run('two').status).toBe(1)
})
