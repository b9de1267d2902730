import { expect, test } from 'bun:test'
import { execFileSync } from 'node:child_process'
import { join, resolve } from 'node:path'
import { ensureConsoleBuild, ensureDocsBuild } from '../src/boot/site-build.ts'

const root = resolve(import.meta.dir, '..')
const BUILD_MS = 400_000

test(
  'a package carries the server, the console and the docs built, and no tests',
  async () => {
    const options = { say: () => {}, isUrgent: true }
    for (const build of [ensureConsoleBuild, ensureDocsBuild]) await build(options)
    const npm = ['pack', '--dry-run', '--ignore-scripts', '--json', '--loglevel=error']
    const [packed] = JSON.parse(
      execFileSync('npm', npm, { cwd: root, encoding: 'utf8', stdio: 'pipe', maxBuffer: 1e8 }),
    )
    const files: string[] = packed.files.map(({ path }: { path: string }) => path)
    for (const file of ['bin/nexkit.mjs', 'src/cli.ts', 'openapi.json', 'docs/guides/quickstart.md'])
      expect(files).toContain(file)
    for (const site of ['console', 'docs'])
      for (const file of ['index.html', '.made-from']) expect(files).toContain(join('build', site, file))
    expect(files.filter((file) => /\.(?:test|suite)\.ts$|^(?:test|bench|data)\//.test(file))).toEqual([])
  },
  BUILD_MS,
)
