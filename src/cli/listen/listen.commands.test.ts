import { expect, test } from 'bun:test'
import { runCommand } from '../../../test/support/run-command.ts'
import { listenCommands } from './listen.commands.ts'

test.each([
  ['listen --org demo-store --forward-to ftp://x', '--forward-to must be a URL'],
  ['listen --forward-to x --url https://a.example', '--url needs --key'],
  ['listen --org demo-store --forward-to x --key nxk_live_x', 'A key belongs to one organization'],
  ['listen --org demo-store --forward-to x --events keys.*', 'Did you mean "key.*"'],
])('%s is refused with a sentence', async (words, sentence) => {
  await expect(runCommand(listenCommands, words.split(' '))).rejects.toThrow(sentence)
})
