import { expect, test } from 'bun:test'
import { emulatorCommands } from './emulator.commands.ts'
import { parseCommand, UsageError } from './framework/command.ts'

/** Wrong values are refused before anything starts; test/flows/emulator.test.ts starts it. */
test.each([
  [['--app-id', 'abc'], '--app-id must have 5 to 32 digits.'],
  [['--token', 'a b'], '--token must have 8 to 200 visible characters.'],
  [['--callback', 'localhost'], '--callback must be a URL such as http://127.0.0.1:8080/webhook, not "localhost".'],
  [['--port', '70000'], '--port must be a whole number from 0 to 65535.'],
])('the emulator refuses %p', async (args, sentence) => {
  const [command] = emulatorCommands
  if (command === undefined) throw new Error('there is no command')
  const running = command.run(parseCommand(command, args))
  await expect(running).rejects.toThrow(new UsageError(sentence))
})
