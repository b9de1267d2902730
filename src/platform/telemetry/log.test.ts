import { expect, test } from 'bun:test'
import { closeSync, existsSync, mkdtempSync, openSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createLog } from './log.ts'

test('no token or signing secret reaches a log line, wherever in it', () => {
  const folder = mkdtempSync(join(tmpdir(), 'nexkit-log-'))
  const fd = openSync(join(folder, 'log'), 'w')
  const log = createLog('info', { fd })
  const token = `nxk_live_${'Ab3d'.repeat(9)}Zz`
  const secret = 'whsec_AQIDBAUGBwgJCgsMDQ4PEBESExQVFhcYGRobHB0eHyA='
  log.warn({ refreshed: 'nxo_WxYzSecretPart' }, 'for nxr_WxYzSecretPart')
  log.info({ token, nested: { list: [`Bearer ${token}`] } }, `made ${secret}`)
  log.error({ err: new Error(`refused ${token}`) }, 'failed')
  closeSync(fd)
  const text = readFileSync(join(folder, 'log'), 'utf8')
  rmSync(folder, { recursive: true })
  expect(text.split('\n').length).toBe(4)
  expect(text).toContain('nxk_live_Ab3d…')
  expect(text).not.toContain('Ab3dAb3d')
  expect(text).not.toContain('AQIDBAUG')
  expect(text).not.toContain('SecretPart')
})

const FULL_DISK = '/dev/full'

test.skipIf(!existsSync(FULL_DISK))('a line that cannot be written fails no caller', () => {
  const fd = openSync(FULL_DISK, 'w')
  for (const isTTY of [false, true]) {
    const log = createLog('info', { fd, isTTY })
    for (let line = 0; line < 3; line++) expect(() => log.info({ line }, 'lost')).not.toThrow()
  }
  closeSync(fd)
})

test.skipIf(!existsSync(FULL_DISK))('however much could not be written, what comes afterwards is', () => {
  const folder = mkdtempSync(join(tmpdir(), 'nexkit-log-'))
  const path = join(folder, 'log')
  const fd = openSync(FULL_DISK, 'w')
  const log = createLog('info', { fd })
  const words = 'x'.repeat(10_000)
  for (let line = 0; line < 300; line++) log.info({ line }, words)
  closeSync(fd)
  // The lowest number that is free, which is the one that was just closed: the same log, now on a disk with room.
  expect(openSync(path, 'w')).toBe(fd)
  for (let line = 0; line < 3; line++) log.info({ line }, `after ${words}`)
  closeSync(fd)
  expect(readFileSync(path, 'utf8').match(/after/g)?.length).toBeGreaterThan(1)
  rmSync(folder, { recursive: true })
})
