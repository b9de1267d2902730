import { afterAll, expect, test } from 'bun:test'
import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { isRoot, openDataFolders } from '../../../test/support/data-folders.ts'
import { StartError } from '../../kernel/errors.ts'
import { lockDataFolder } from './folder-lock.ts'

const folders = openDataFolders()
afterAll(() => folders.close())

const refusal = (folder: string, pid: number | undefined) =>
  `Another Nexkit (pid ${pid}) is already using ${folder}. Stop it, or set NEXKIT_DATA_DIR to another folder.`

test('a folder has one holder at a time, and is free again after the release', async () => {
  const folder = folders.newFolder()
  const lock = await lockDataFolder(folder)
  await expect(lockDataFolder(folder)).rejects.toEqual(new StartError(refusal(folder, process.pid)))
  await lock.release()
  const next = await lockDataFolder(folder)
  await lock.release()
  await expect(lockDataFolder(folder)).rejects.toBeInstanceOf(StartError)
  await next.release()
  expect(existsSync(join(folder, 'nexkit.pid'))).toBe(false)
})

/** Another process that asks for the lock; it keeps what it gets until it is killed. */
function askForLock(folder: string) {
  const module = JSON.stringify(join(import.meta.dirname, 'folder-lock.ts'))
  const ask = `const { lockDataFolder } = await import(${module}); await lockDataFolder(process.argv[1])`
  const code = `${ask}.then(() => console.log('locked'), (error) => console.log(error.message)); setInterval(() => {}, 1000)`
  const child = spawn(process.execPath, ['-e', code, folder], { stdio: ['ignore', 'pipe', 'inherit'] })
  const answer = once(child.stdout, 'data').then(([data]) => String(data).trim())
  const kill = async () => {
    const ended = once(child, 'exit')
    child.kill('SIGKILL')
    await ended
  }
  return { pid: child.pid as number, answer, kill }
}

test("another process is refused with the holder's pid, also after the holder ran a program", async () => {
  const folder = folders.newFolder()
  const lock = await lockDataFolder(folder)
  spawnSync('true')
  const other = askForLock(folder)
  expect(await other.answer).toBe(refusal(folder, process.pid))
  await other.kill()
  await lock.release()
})

test('the lock of a killed holder is taken over, even when its pid belongs to another process by now', async () => {
  const folder = folders.newFolder()
  const holder = askForLock(folder)
  expect(await holder.answer).toBe('locked')
  await expect(lockDataFolder(folder)).rejects.toEqual(new StartError(refusal(folder, holder.pid)))
  await holder.kill()
  writeFileSync(join(folder, 'nexkit.pid'), `${process.ppid}\n`)
  const lock = await lockDataFolder(folder)
  expect(readFileSync(join(folder, 'nexkit.pid'), 'utf8')).toBe(`${process.pid}\n`)
  await lock.release()
})

test('a path that is a file, or lies below one, is named', async () => {
  const file = folders.newFolder()
  writeFileSync(file, '')
  await expect(lockDataFolder(file)).rejects.toThrow(`${file} is not a folder.`)
  await expect(lockDataFolder(join(file, 'data'))).rejects.toThrow('is not a folder.')
})

test.skipIf(process.platform !== 'linux')(
  'the lock reports that no folder can be created when the file system refuses it, also to root',
  async () => {
    await expect(lockDataFolder('/proc/nexkit')).rejects.toThrow('may not read and write /proc/nexkit. Give that user')
  },
)

// Root may write anywhere; embedded-postgres-user.test.ts tries this as another user then.
test.skipIf(isRoot)('a folder that may not be written to is refused with what to do', async () => {
  const folder = folders.newFolder()
  mkdirSync(folder, { mode: 0o500 })
  await expect(lockDataFolder(folder)).rejects.toThrow(`may not read and write ${folder}. Give that user the folder`)
})

const mount = (folder: string) => {
  mkdirSync(folder)
  return spawnSync('mount', ['-t', 'tmpfs', '-o', 'size=20m,mode=755', 'tmpfs', folder]).status === 0
}

const unmount = (folder: string) => spawnSync('umount', [folder]).status === 0

function canMount(): boolean {
  const folder = folders.newFolder()
  return isRoot && mount(folder) && unmount(folder)
}

test.skipIf(!canMount())('a full disk is called that, and is no longer in the way once there is space', async () => {
  const folder = folders.newFolder()
  expect(mount(folder)).toBe(true)
  try {
    await expect(folders.start(folder)).rejects.toThrow(`The disk that holds ${folder} is full.`)
    expect(existsSync(join(folder, 'postgres'))).toBe(false)
    spawnSync('mount', ['-o', 'remount,size=200m', folder])
    await (await folders.start(folder, { settings: { fsync: 'off' } })).stop()
    spawnSync('mount', ['-o', 'remount,ro', folder])
    await expect(folders.start(folder)).rejects.toThrow('may not read and write')
  } finally {
    unmount(folder)
  }
})
