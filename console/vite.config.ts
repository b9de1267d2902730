import react from '@vitejs/plugin-react'
import { defineConfig } from 'vite'

/** The server that the development server of the console asks. */
const backend = process.env.VITE_BACKEND ?? 'http://127.0.0.1:3900'
/** Changes are taken only from the server's own pages, and this one stands in for them. */
const asOwnPage = { target: backend, changeOrigin: true, headers: { origin: backend } }

/** What is served is always the fast build, also when a test, whose NODE_ENV is "test", is the first to need it. */
const settleMode = (command: string) => {
  if (command === 'build') process.env.NODE_ENV = 'production'
}

/** Static files with content hashes, served by the same process at /console. Nothing is fetched from elsewhere. */
export default defineConfig(({ command }) => {
  settleMode(command)
  return {
    root: import.meta.dirname,
    base: '/console/',
    plugins: [react()],
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
