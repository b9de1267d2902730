import { expect, test } from 'bun:test'
import { spawnSync } from 'node:child_process'
import { resolve } from 'node:path'
import { runCommand } from '../../test/support/run-command.ts'
import { descriptionCommands } from './server.commands.ts'

const CLI = resolve(import.meta.dirname, '..', 'cli.ts')

test.each([['openapi'], ['asyncapi']])('%s prints one JSON object, asked for or not', async (name) => {
  const { out } = await runCommand(descriptionCommands, [name])
  expect(JSON.parse(out)).toHaveProperty(name)
  expect((await runCommand(descriptionCommands, [name, '--json'])).out).toBe(out)
})

test.each([
  [
    ['help', 'key', 'renew'],
    'There is no command "key renew". Did you mean "key create", "key list", "key rotate" or "key revoke"?',
  ],
  [['key', 'list', '--orgg', 'x'], 'There is no option --orgg. Did you mean --org?\nRun "npx nexkit help key list"'],
])('%p exits with 2 and writes its sentence to stderr only', (words, sentence) => {
  const { status, stdout, stderr } = spawnSync(process.execPath, [CLI, ...words], { encoding: 'utf8' })
  expect([status, stdout]).toEqual([2, ''])
  expect(stderr).toContain(sentence)
})
