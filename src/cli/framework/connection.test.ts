import { beforeAll, expect, test } from 'bun:test'
import { useTestApp } from '../../../test/support/app.ts'
import { anOrganization } from '../../../test/support/makers.ts'
import { runCommand, useCommandSettings } from '../../../test/support/run-command.ts'
import { numberCommands } from '../number.commands.ts'
import { paymentAccountCommands } from '../payment-account.commands.ts'
import { personCommands } from '../person.commands.ts'
import type { Command } from './command.ts'

/** The commands in a shell that knows nothing of how the server was started. */
const app = useTestApp({ publicUrl: 'https://shop.example' })
useCommandSettings(app)
let slug = ''

beforeAll(async () => {
  slug = (await anOrganization(app.database)).slug
})

const run = (commands: Command[], words: string) => runCommand(commands, words.split(' '))
const say = async (commands: Command[], words: string) => (await run(commands, words)).out.trim()

const aNumber = (id: string) =>
  say(
    numberCommands,
    `number create --org ${slug} --connector simulator --phone-number-id ${id} --display-phone +${id}`,
  )

test('beside a running server, addresses to be pasted elsewhere and links for people are those of that server', async () => {
  expect(await aNumber('6281200009001')).toMatch(/^https:\/\/shop\.example\/hooks\/simulator\/num_/)
  const account = `payment-account create --org ${slug} --provider midtrans --server-key SB-Mid-server-1`
  expect(await say(paymentAccountCommands, account)).toMatch(/^https:\/\/shop\.example\/hooks\/midtrans\/pac_/)
  const person = `person create --org ${slug} --name Sari --email sari@example.com --json`
  expect(JSON.parse(await say(personCommands, person)).url).toBe('https://shop.example/console')
  const link = await say(personCommands, 'person reset-password --email sari@example.com')
  expect(link).toStartWith('https://shop.example/console/reset-password/')
})

test('NEXKIT_PUBLIC_URL of the command itself comes before what the server says', async () => {
  process.env.NEXKIT_PUBLIC_URL = 'https://moved.example'
  try {
    expect(await aNumber('6281200009002')).toStartWith('https://moved.example/hooks/')
  } finally {
    delete process.env.NEXKIT_PUBLIC_URL
  }
})

test('a worker opens no port, so its address counts for nothing, and neither does that of a server that fell silent', async () => {
  await app.database.run`update processes set role = 'worker'`
  expect(await aNumber('6281200009003')).toStartWith('http://127.0.0.1:3900/hooks/')
  await app.database.run`update processes set role = 'api', seen_at = seen_at - interval '1 minute'`
  expect(await aNumber('6281200009004')).toStartWith('http://127.0.0.1:3900/hooks/')
})

test('an address that Meta or a provider could not call is printed with what to do about it', async () => {
  const aCloudNumber = (id: string) =>
    `number create --org ${slug} --connector whatsapp-cloud --phone-number-id ${id} --display-phone +${id} --access-token t --app-secret s`
  const anAccount = `payment-account create --org ${slug} --provider midtrans --server-key SB-Mid-server-1`
  // The app says again and again that it is alive, also between two commands.
  const forget = () => app.database.run`delete from processes`
  await forget()
  expect((await run(numberCommands, aCloudNumber('6281200009005'))).err).toContain('NEXKIT_PUBLIC_URL')
  await forget()
  expect((await run(paymentAccountCommands, anAccount)).err).toContain('NEXKIT_PUBLIC_URL')
  process.env.NEXKIT_PUBLIC_URL = 'https://moved.example'
  try {
    expect((await run(numberCommands, aCloudNumber('6281200009006'))).err).not.toContain('NEXKIT_PUBLIC_URL')
    expect((await run(paymentAccountCommands, anAccount)).err).not.toContain('NEXKIT_PUBLIC_URL')
  } finally {
    delete process.env.NEXKIT_PUBLIC_URL
  }
})
