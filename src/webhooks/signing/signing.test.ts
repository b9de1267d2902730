import { describe, expect, test } from 'bun:test'
import { newId, type OrgId } from '../../kernel/ids.ts'
import { createSecretBox } from '../../platform/database/secret-box.ts'
import type { SecretRow } from './signing.sql.ts'
import { createSecret, openSigningKeys } from './signing.ts'

const box = createSecretBox(Buffer.alloc(32, 7))
const orgId: OrgId = newId('org')

function aSecret(fields: Partial<Parameters<typeof createSecret>[1]> = {}, sealedIn = box) {
  const { row, secret } = createSecret(sealedIn, {
    endpointId: newId('wep'),
    version: 1,
    signing: 'v1',
    now: new Date(0),
    ...fields,
  })
  return { secret, row: { ...row, org_id: orgId, expires_at: null } satisfies SecretRow }
}

describe('a secret', () => {
  test('is sealed, and opens to what was shown', () => {
    const { row, secret } = aSecret()
    expect(JSON.stringify(row)).not.toContain(secret.slice(6))
    const [live] = openSigningKeys(box, [row], 'v1')
    expect(live?.key).toEqual({ version: 'v1', secret: Buffer.from(secret.slice(6), 'base64') })
  })

  test('does not open in the row of another endpoint or version', () => {
    const { row } = aSecret()
    expect(() => openSigningKeys(box, [{ ...row, endpoint_id: newId('wep') }], 'v1')).toThrow()
    expect(() => openSigningKeys(box, [{ ...row, version: 2 }], 'v1')).toThrow()
  })

  test('that was sealed with a lost key does not keep its successor from signing', () => {
    const endpointId = newId('wep')
    const lost = aSecret({ endpointId }, createSecretBox(Buffer.alloc(32, 8))).row
    const successor = aSecret({ endpointId, version: 2 }).row
    expect(openSigningKeys(box, [successor, lost], 'v1')).toHaveLength(1)
    expect(() => openSigningKeys(box, [lost, successor], 'v1')).toThrow()
  })

  test.each([
    ['v1', ['v1', 'v1']],
    ['v1a', ['v1a']],
    ['both', ['v1', 'v1a', 'v1']],
  ] as const)('signing %s uses the keys %p of a new pair and an old secret', (signing, versions) => {
    const rows = [aSecret({ version: 2, signing: 'both' }).row, aSecret().row]
    expect(openSigningKeys(box, rows, signing).map(({ key }) => key.version)).toEqual([...versions])
  })
})
