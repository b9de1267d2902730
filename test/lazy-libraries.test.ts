import { expect, test } from 'bun:test'
import { join } from 'node:path'

const root = join(import.meta.dir, '..')
const pathOf = (file: string) => JSON.stringify(join(root, file))

/** The packages that a process has loaded after it ran this script in the folder of the project. */
async function listLoadedPackages(script: string): Promise<Set<string>> {
  const listing = `console.log(JSON.stringify(Object.keys(require.cache)))`
  const child = Bun.spawn([process.execPath, '-e', `${script}; ${listing}`], { cwd: root, stderr: 'inherit' })
  const paths = JSON.parse(await new Response(child.stdout).text()) as string[]
  expect(await child.exited).toBe(0)
  return new Set(paths.flatMap((path) => /^.*node_modules\/((?:@[^/]+\/)?[^/]+)/.exec(path)?.[1] ?? []))
}

test('the server loads no library for mail, sign-in, agents or telemetry when nothing has asked for it yet', async () => {
  const loaded = await listLoadedPackages(`await import(${pathOf('src/main.ts')})`)
  expect(loaded).toContain('zod')
  for (const name of ['nodemailer', 'better-auth', 'kysely', '@modelcontextprotocol/server', 'pino-pretty', 'vite'])
    expect(loaded).not.toContain(name)
  // The library for sign-in loads the interfaces, which do nothing.
  const telemetry = [...loaded].filter((name) => name.startsWith('@opentelemetry/') && !name.endsWith('/api'))
  expect(telemetry).toEqual([])
})

test('a password is hashed without the database parts of the sign-in library when the first start creates a person', async () => {
  const loaded = await listLoadedPackages(`
    const { createDashboardAuth } = await import(${pathOf('src/accounts/people/dashboard-auth.ts')})
    const auth = createDashboardAuth({ database: {}, secret: 'x', publicUrl: 'http://127.0.0.1', log: {}, passwords: null })
    if (!(await auth.hashPassword('correct horse')).includes(':')) throw new Error('not a hash')`)
  expect(loaded).toContain('better-auth')
  expect(loaded).not.toContain('kysely')
})
