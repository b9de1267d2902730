import { expect, test } from 'bun:test'
import { useTestDatabase } from '../../../test/support/database.ts'
import { systemClock } from '../../kernel/clock.ts'
import { openDatabase } from '../../platform/database/database.ts'
import { createGuessThrottle, createKnownDevices } from './guess-throttle.ts'

const db = useTestDatabase()
const ACCOUNTS = 150
const AT_ONCE = 12

test('first guesses for an account that arrive at once are counted one by one', async () => {
  const database = openDatabase({ url: db.url, connectionsMax: 30 })
  const throttle = createGuessThrottle({ database, clock: systemClock })
  const guess = (account: string) =>
    throttle.admit('password', { account, address: '203.0.113.7', device: null }).then(({ isAdmitted }) => isAdmitted)
  for (let nth = 0; nth < ACCOUNTS; nth++) {
    const admitted = await Promise.all(Array.from({ length: AT_ONCE }, () => guess(`${nth}@example.com`)))
    expect(admitted.filter(Boolean)).toHaveLength(10)
  }
  await database.close()
})

const DAY_MS = 24 * 3_600_000
const secret = new Uint8Array(32).fill(7)
const devicesAt = (nowMs: number) => createKnownDevices({ secret, clock: { now: () => nowMs }, isHttps: true })
const pairOf = (line: string) => line.split(';')[0] as string

test('a device is known for its account alone, for 180 days, among other cookies', () => {
  const line = devicesAt(DAY_MS).remember('sari@example.com')
  expect(line).toMatch(
    /^__Secure-nexkit\.device_\S+; Max-Age=15552000; Path=\/api\/auth; HttpOnly; SameSite=Lax; Secure$/,
  )
  const cookies = `a=b; ${pairOf(line)}; c=d`
  expect(devicesAt(2 * DAY_MS).find(cookies, 'sari@example.com')).toBeString()
  expect(devicesAt(181 * DAY_MS).find(cookies, 'sari@example.com')).toBeString()
  expect(devicesAt(182 * DAY_MS).find(cookies, 'sari@example.com')).toBeNull()
  expect(devicesAt(2 * DAY_MS).find(cookies, 'budi@example.com')).toBeNull()
  expect(devicesAt(2 * DAY_MS).find(null, 'sari@example.com')).toBeNull()
})

test('a device cookie is refused when its proof is of another account or secret', () => {
  const devices = devicesAt(DAY_MS)
  const [name] = pairOf(devices.remember('sari@example.com')).split('=')
  const [, foreign] = pairOf(devices.remember('budi@example.com')).split('=')
  expect(devices.find(`${name}=${foreign}`, 'sari@example.com')).toBeNull()
  const others = createKnownDevices({ secret: new Uint8Array(32), clock: { now: () => DAY_MS }, isHttps: true })
  const [, other] = pairOf(others.remember('sari@example.com')).split('=')
  expect(devices.find(`${name}=${other}`, 'sari@example.com')).toBeNull()
})
