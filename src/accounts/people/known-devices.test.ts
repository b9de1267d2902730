import { expect, test } from 'bun:test'
import { createKnownDevices } from './known-devices.ts'

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
