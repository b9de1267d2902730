import { ensureConsoleBuild, ensureDocsBuild } from '../src/boot/site-build.ts'

/** Before a package is packed, so that it carries the console and the docs built. */
const options = { say: (sentence: string) => process.stderr.write(`${sentence}\n`), isUrgent: true }
await ensureConsoleBuild(options)
await ensureDocsBuild(options)
