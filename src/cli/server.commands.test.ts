import { expect, test } from 'bun:test'
import { spawnSync } from 'node:child_process'
import { resolve } from 'node:path'
import { runCommand } from '../../test/support/run-command.ts'
import { serverCommands } from './server.commands.ts'

const CLI = resolve(import.meta.dirname, '..', 'cli.ts')

test.each([['openapi'], ['asyncapi']])('%s prints one JSON object, asked for or not', async (name) => {
  const { out } = await runCommand(serverCommands, [name])
  expect(JSON.parse(out)).toHaveProperty(name)
  expect((await runCommand(serverCommands, [name, '--json'])).out).toBe(out)
})

test('help about a command that does not exist fails with those that do', () => {
  const { status, stdout, stderr } = spawnSync(process.execPath, [CLI, 'help', 'key'], { encoding: 'utf8' })
  expect([status, stdout]).toEqual([2, ''])
  expect(stderr).toContain('did you mean: key create, key list, key rotate, key revoke?')
})
