import { readdirSync, readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import react from '@vitejs/plugin-react'
import { defineConfig, type Plugin } from 'vite'

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

/** Static files with content hashes, served by the same process at /console. Nothing is fetched from elsewhere. */
export default defineConfig(({ command }) => {
  settleMode(command)
  return {
    root: import.meta.dirname,
    base: '/console/',
    plugins: [react(), allStylesThere()],
    build: {
      outDir: '../build/console',
      emptyOutDir: true,
      target: 'es2023',
      // Scripts and styles only: an inlined picture would need data: in the policy.
      assetsInlineLimit: 0,
      reportCompressedSize: false,
      chunkSizeWarningLimit: 900,
    },
    server: { port: 3901, proxy: { '/api': asOwnPage, '/pay': asOwnPage } },
  }
})
