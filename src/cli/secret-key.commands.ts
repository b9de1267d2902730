import { acceptSecretKey } from '../boot/secret-key.ts'
import { defineCommand } from './framework/command.ts'
import { withDatabase } from './framework/connection.ts'
import { printJson, printLine } from './framework/output.ts'

export const secretKeyCommands = [
  defineCommand({
    name: 'secret-key accept',
    summary: 'Go on with another secret key, when the old one is lost',
    options: { json: { type: 'boolean', help: 'print one JSON object on stdout' } },
    async run({ values }) {
      const isChanged = await withDatabase(acceptSecretKey)
      if (values.json) return printJson({ object: 'secret_key', accepted: isChanged })
      if (!isChanged) return printLine('This is the secret key that the database was sealed with. Nothing was changed.')
      printLine('The secret key of now is accepted. What was sealed with the old one does not open any more:')
      printLine('  enter the credentials again   npx nexkit number update, npx nexkit payment-account update')
      printLine('  make new webhook secrets      npx nexkit endpoint rotate-secret')
      printLine('  end second factors            npx nexkit person remove-second-factor')
      printLine(
        'Everybody signs in again, and invitations are made anew. The old key proved the audit log, so doctor says',
      )
      printLine('from now on that it does not hold.')
    },
  }),
]
