import { describe, expect, test } from 'bun:test'
import { spawnSync } from 'node:child_process'
import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describedRoutes } from '../src/app.ts'
import { exampleFaults } from '../src/platform/http/openapi-examples.ts'
import { createDocsSite } from '../src/surfaces/docs/docs-site.ts'

/** What is published must be what the code does: the committed description, the page of codes and the examples. */
const repository = join(import.meta.dirname, '..')
const read = (path: string) => readFileSync(join(repository, path), 'utf8')

type Declared = { code: string; status: number; title: string; says: string; help: string }

const isDeclared = (value: unknown): value is Declared =>
  typeof value === 'function' && typeof (value as Partial<Declared>).code === 'string'

/** From the files that declare them, not from the register: other tests of this process may have declared their own. */
async function declaredErrors(): Promise<Declared[]> {
  const files = globSync('src/**/*.errors.ts', { cwd: repository })
  const modules: object[] = await Promise.all(files.map((file) => import(join(repository, file))))
  const values = modules.flatMap((module) => Object.values(module))
  const declared = values.flatMap((value) =>
    isDeclared(value) ? [value] : Object.values(Object(value)).filter(isDeclared),
  )
  return [...new Set(declared)]
}

const errors = await declaredErrors()
const codes = errors.map((error) => error.code).sort()

test('the committed openapi.json and docs/reference/errors.md are what the code says', () => {
  const { status, stderr } = spawnSync(process.execPath, ['scripts/lint-openapi.ts', '--only-files'], {
    cwd: repository,
  })
  expect(stderr.toString()).toBe('')
  expect(status).toBe(0)
})

describe('error codes', () => {
  test('are declared once, by many', () => {
    expect(codes.length).toBeGreaterThan(25)
    expect(new Set(codes).size).toBe(codes.length)
  })

  test('are all in the description, and the description knows no others', () => {
    const { enum: described } = JSON.parse(read('openapi.json')).components.schemas.Problem.properties.code
    expect(described).toEqual(codes)
  })

  test('are all on the page of codes, and the page knows no others', () => {
    const page = read('docs/reference/errors.md')
    expect([...page.matchAll(/^## (\w+)$/gm)].map((match) => match[1] as string).sort()).toEqual(codes)
    for (const { code, status, title } of errors)
      expect(page).toContain(`| [\`${code}\`](#${code}) | ${status} | ${title} |`)
  })

  test('have a page each', async () => {
    const site = createDocsSite({
      openApiPath: '/o.json',
      basePath: '/',
      errors,
      version: '0',
      publicUrl: 'http://host',
    })
    for (const code of codes) {
      const response = await site.fetch(new Request(`http://host/docs/errors/${code}`))
      expect([code, response?.status]).toEqual([code, 200])
    }
  })
})

test('every example of every route passes its own schema', () => {
  const routes = describedRoutes()
  expect(routes.length).toBeGreaterThan(0)
  expect(routes.flatMap(exampleFaults)).toEqual([])
})
