import { readdirSync, readFileSync } from 'node:fs'
import { writeFile } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import { promisify } from 'node:util'
import { brotliCompress } from 'node:zlib'
import react from '@vitejs/plugin-react'
import { defineConfig, type Plugin, type Rollup } from 'vite'

/** The server that the development server of the console asks. */
const backend = process.env.VITE_BACKEND ?? 'http://127.0.0.1:3900'
/** Changes are taken only from the server's own pages, and this one stands in for them. */
const asOwnPage = { target: backend, changeOrigin: true, headers: { origin: backend } }

/** What is served is always the fast build, also when a test, whose NODE_ENV is "test", is the first to need it. */
const settleMode = (command: string) => {
  if (command === 'build') process.env.NODE_ENV = 'production'
}

/** As the component library writes its classes. */
const LIBRARY_CLASS = /\bm_[0-9a-f]{6,8}\b/g
const classesIn = (text: string): string[] => text.match(LIBRARY_CLASS) ?? []

/** Fails the build when a part of the component library is used whose styles are not in `app/library-styles.ts`. */
const allStylesThere = (): Plugin => ({
  name: 'all-styles-there',
  apply: 'build',
  writeBundle(_, bundle) {
    const parts = Object.values(bundle)
    const code = parts.map((part) => (part.type === 'chunk' ? part.code : '')).join('\n')
    const styles = parts.map((part) => (part.type === 'asset' ? String(part.source) : '')).join('\n')
    const there = new Set(classesIn(styles))
    const missing = new Set(classesIn(code).filter((name) => !there.has(name)))
    const folder = join(dirname(createRequire(import.meta.url).resolve('@mantine/core/styles.css')), 'styles')
    const files = readdirSync(folder).filter((name) => name.endsWith('.css') && !name.endsWith('.layer.css'))
    for (const name of files) {
      const isMissing = classesIn(readFileSync(join(folder, name), 'utf8')).some((each) => missing.has(each))
      if (isMissing) this.error(`console/app/library-styles.ts needs '@mantine/core/styles/${name}'`)
    }
  },
})

/** What the page itself and the pages before sign-in load. */
const FIRST_CHUNKS = ['index', 'entrance', 'en-entrance', 'id-entrance']
const compress = promisify(brotliCompress)

/**
 * Compresses what a visitor loads before sign-in with the strongest setting, a tenth smaller than the server does while a person
 * waits. All files would take longer than the rest of the build.
 */
const firstFilesPacked = (): Plugin => ({
  name: 'first-files-packed',
  apply: 'build',
  async writeBundle({ dir = '' }, bundle) {
    const wanted = new Set<string>()
    const add = (name: string) => {
      const part = bundle[name]
      if (wanted.has(name) || part === undefined) return
      wanted.add(name)
      if (part.type === 'chunk') for (const other of [...part.imports, ...stylesOf(part)]) add(other)
    }
    for (const part of Object.values(bundle))
      if (part.type === 'chunk' && FIRST_CHUNKS.includes(part.name)) add(part.fileName)
    await Promise.all(
      [...wanted].map(async (name) => {
        const part = bundle[name]
        const source = part?.type === 'chunk' ? part.code : (part?.source ?? '')
        await writeFile(join(dir, `${name}.br`), await compress(source))
      }),
    )
  },
})

/** The parts of the libraries that a form before sign-in is made of. */
const FIRST_PARTS = [
  /\/node_modules\/(?:react|react-dom|scheduler)\//,
  /\/node_modules\/@tanstack\/(?:react-query|query-core)\//,
  /\/node_modules\/@mantine\/core\/esm\/components\/(?:TextInput|Input|InputBase|PasswordInput|Title|Anchor|Text|Button|Alert)\//,
  /\/console\/app\/(?:ui\/(?:Entrance|PasswordField|Message|submission)|api\/(?:client|problem|session|people|passkeys))\.tsx?$/,
]
const isFirst = (id: string) => FIRST_PARTS.some((part) => part.test(id)) && !/\.css$/.test(id)

const stylesOf = (chunk: Rollup.OutputChunk) => chunk.viteMetadata?.importedCss ?? []

/** Static files with content hashes, served by the same process at /console. Nothing is fetched from elsewhere. */
export default defineConfig(({ command }) => {
  settleMode(command)
  return {
    root: import.meta.dirname,
    base: '/console/',
    plugins: [react(), allStylesThere(), firstFilesPacked()],
    build: {
      outDir: '../build/console',
      emptyOutDir: true,
      target: 'es2023',
      // Scripts and styles only: an inlined picture would need data: in the policy.
      assetsInlineLimit: 0,
      reportCompressedSize: false,
      chunkSizeWarningLimit: 900,
      // One file for what the pages before sign-in share with the others: each request costs more than these parts weigh.
      rolldownOptions: { output: { codeSplitting: { groups: [{ name: 'first', test: isFirst }] } } },
    },
    server: { port: 3901, proxy: { '/api': asOwnPage, '/pay': asOwnPage } },
  }
})
