import { expect, test } from 'bun:test'
import { useTestDatabase } from '../../test/support/database.ts'
import { anOrganization } from '../../test/support/makers.ts'
import { runCommand, useCommandSettings } from '../../test/support/run-command.ts'
import { keyCommands } from './key.commands.ts'
import { numberCommands } from './number.commands.ts'
import { paymentAccountCommands } from './payment-account.commands.ts'
import { sandboxCommands } from './sandbox.commands.ts'

const db = useTestDatabase()
useCommandSettings(db)

const run = (line: string) =>
  runCommand(
    [...sandboxCommands, ...keyCommands, ...numberCommands, ...paymentAccountCommands],
    [...line.split(' '), '--json'],
  ).then(({ out }) => JSON.parse(out))

test('org sandbox creates the sandbox once, for which keys, resets and advances then work', async () => {
  const live = await anOrganization(db.database, { slug: 'kedai' })
  const created = await run('org sandbox --org kedai')
  expect(created).toMatchObject({ object: 'sandbox', slug: 'kedai-sandbox', name: live.name })
  expect(await run('org sandbox --org kedai')).toEqual(created)
  expect(await run('org sandbox --org kedai-sandbox')).toEqual(created)
  expect((await run('key create --org kedai-sandbox --name Tests --scopes all')).token).toStartWith('nxk_test_')
  expect((await run('key create --org kedai --name Tests --scopes all')).token).toStartWith('nxk_live_')
  for (const line of ['advance --by 2d', 'reset --yes'])
    expect(await run(`org sandbox ${line} --org kedai`)).toEqual(created)
  const acts = await db.database.many<{ act: string }>`
    select act from audit_entries where org_id = ${created.id} and actor_type = 'command' order by sequence`
  expect(acts.map(({ act }) => act)).toEqual(['createSandbox', 'createKey', 'advanceSandbox', 'resetSandbox'])
})

test('a reset without --yes, a time that is none, and a live organization without a sandbox are refused', async () => {
  await anOrganization(db.database, { slug: 'toko' })
  await expect(run('org sandbox reset --org toko --yes')).rejects.toThrow(
    'Create the sandbox of this organization first',
  )
  await run('org sandbox --org toko')
  await expect(run('org sandbox reset --org toko')).rejects.toThrow('Add --yes')
  for (const by of ['0d', '2w', '-1d', '367d'])
    await expect(run(`org sandbox advance --org toko --by=${by}`)).rejects.toThrow('--by must be')
})

test('real numbers and payment providers are refused in a sandbox', async () => {
  await anOrganization(db.database, { slug: 'warung' })
  await run('org sandbox --org warung')
  const number = '--phone-number-id 106540352242922 --display-phone +6281200009000 --access-token abcdefghijklmnopqrst'
  for (const line of [
    `number create --connector whatsapp-cloud ${number} --app-secret 0123456789abcdef0123456789abcdef --verify-token abcdefghijkl`,
    'payment-account create --provider midtrans --server-key SB-Mid-server-0123456789',
    'payment-account create --provider xendit --secret-key xnd_development_0123456789 --callback-token cccccccccccccccccccc',
  ])
    await expect(run(`${line} --org warung-sandbox`)).rejects.toThrow('A sandbox has simulators only.')
})
