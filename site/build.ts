import { copyFile, mkdir, readdir, rm, writeFile } from 'node:fs/promises'
import { dirname, join, resolve } from 'node:path'
// Loading the routes declares their errors.
import '../src/boot/console-routes.ts'
import { BASE_PATHS } from '../src/boot/public-routes.ts'
import { allErrors } from '../src/kernel/errors.ts'
import type { DocsPage } from '../src/surfaces/docs/docs-page.ts'
import { collectPages, LOCAL_PLACES } from '../src/surfaces/docs/site-pages.ts'

/**
 * Builds the docs for browsers into the folder that is given. The pages are the same Markdown that the server answers at
 * `….md`; here they are written to a work folder, which VitePress builds. The work folder is its root, so that two builds at
 * once share nothing.
 */
const SITE = import.meta.dirname
const outDir = resolve(process.argv[2] ?? 'build/docs')
const work = `${outDir}-work`

process.env.NODE_ENV = 'production'

// What started the build has ended, and no one waits for it.
if (process.argv.includes('--attached')) process.stdin.on('end', () => process.exit(1)).resume()

const pages = collectPages({ ...LOCAL_PLACES, basePath: BASE_PATHS[0], errors: allErrors() })

try {
  await writeSources()
  const { build } = await import('vitepress')
  await build(work, { outDir })
} finally {
  await rm(work, { recursive: true, force: true })
}
// Vite's workers keep the process alive on Bun.
process.exit(0)

async function writeSources(): Promise<void> {
  for (const page of pages) await write(`${page.path}.md`, siteMarkdown(page))
  const index = pages.map(({ path, title, label, group }) => ({ path, title, label, group }))
  await write('.vitepress/config.ts', configFile(index))
  await write('.vitepress/theme/index.ts', `export { default } from '${join(SITE, 'theme/index.ts')}'\n`)
  const images = join(SITE, '../docs/images')
  for (const image of await readdir(images)) {
    await mkdir(join(work, 'public/images'), { recursive: true })
    await copyFile(join(images, image), join(work, 'public/images', image))
  }
}

function configFile(index: unknown): string {
  return `import { configure } from '${join(SITE, 'config.ts')}'\nexport default configure(${JSON.stringify(index)})\n`
}

async function write(path: string, text: string): Promise<void> {
  const file = join(work, path)
  await mkdir(dirname(file), { recursive: true })
  await writeFile(file, text)
}

/** Addresses of pages become those of files below the root, and a call that can be tried gets its form. */
function siteMarkdown({ title, summary, markdown, tryIt }: DocsPage): string {
  const head = JSON.stringify({ title, description: summary.replaceAll('`', '') })
  const body = markdown
    .replaceAll('](/docs.md)', '](/index.md)')
    .replaceAll('](/docs/id.md)', '](/id/index.md)')
    .replaceAll('](/docs/', '](/')
  const form = tryIt && `\n## Try it\n\n\`\`\`try-it\n${JSON.stringify(tryIt)}\n\`\`\`\n`
  return `---\n${head}\n---\n\n${form ? body.replace('\n## Request\n', `${form}\n## Request\n`) : body}`
}
