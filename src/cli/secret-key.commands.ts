import { acceptSecretKey } from '../boot/secret-key.ts'
import { defineCommand, jsonOption } from './framework/command.ts'
import { withDatabase } from './framework/connection.ts'
import { printJson, printLine } from './framework/output.ts'

export const secretKeyCommands = [
  defineCommand({
    name: 'secret-key accept',
    summary: 'Continue with another secret key when the old one is lost',
    details:
      'Secrets that the old key encrypted stay unreadable: credentials of numbers and payment accounts, webhook secrets and two-factor authentication.',
    examples: ['npx nexkit secret-key accept'],
    options: { json: jsonOption },
    async run({ values }) {
      const isChanged = await withDatabase(acceptSecretKey)
      if (values.json) return printJson({ object: 'secret_key', accepted: isChanged })
      if (!isChanged) return printLine('The current secret key is the key of this database. Nothing was changed.')
      printLine('The current secret key is accepted. Secrets that the old key encrypted cannot be read anymore:')
      printLine('  enter credentials again             npx nexkit number update, npx nexkit payment-account update')
      printLine('  rotate webhook secrets              npx nexkit endpoint rotate-secret')
      printLine('  turn off two-factor authentication  npx nexkit person remove-second-factor')
      printLine(
        'Everyone signs in again, and open invitations must be sent again. The old key also signed the audit log,',
      )
      printLine('so "npx nexkit doctor" reports from now on that the log is not intact.')
    },
  }),
]
