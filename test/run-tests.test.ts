import { afterAll, beforeAll, expect, test } from 'bun:test'
import { spawnSync } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

/** What `npm test` makes of the outcome of its files, in a folder of their own. */
const RUNNER = join(import.meta.dirname, '..', 'scripts', 'run-tests.ts')

let folder: string
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'nexkit-runner-'))
})
afterAll(() => rmSync(folder, { recursive: true }))

const write = (name: string, text: string) =>
  writeFileSync(join(folder, name), `import { test } from 'bun:test'\n${text}`)

/** Fails until it has been run. */
const shaky = (mark: string) => `
import { existsSync, writeFileSync } from 'node:fs'
test('shaky', () => {
  if (existsSync('${mark}')) return
  writeFileSync('${mark}', '')
  throw new Error('not yet')
})`

const run = (...paths: string[]) => {
  const { status, stdout } = spawnSync(process.execPath, [RUNNER, ...paths], { cwd: folder, encoding: 'utf8' })
  return { status, stdout }
}

test('what passes when it is run once more passes, and is named', () => {
  write('one.test.ts', shaky('one-ran'))
  const { status, stdout } = run('one')
  expect(stdout).toContain('needed a second try: shaky (one.test.ts)')
  expect(status).toBe(0)
})

test('a file that cannot be read fails the run, whatever passes when it is run once more', () => {
  write('two.test.ts', shaky('two-ran'))
  write('two-unreadable.test.ts', `throw new Error('unreadable')`)
  expect(run('two').status).toBe(1)
})
