import { execFileSync } from 'node:child_process'
import { mkdirSync, writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'

/**
 * `npm run sbom`: lists what a running server is made from. Writes `build/sbom.cyclonedx.json`, as npm describes the installed
 * packages, and `build/licences.md`. A package under a licence that is not listed here fails the command: someone has to read
 * that licence first.
 */
const ALLOWED = ['MIT', 'MIT-0', 'ISC', '0BSD', 'BSD-2-Clause', 'BSD-3-Clause', 'Apache-2.0', 'Unlicense', 'PostgreSQL']

type Licence = { license?: { id?: string; name?: string }; expression?: string }
type Component = { name: string; version: string; licenses?: Licence[] }

const root = resolve(import.meta.dirname, '..')

/** An expression such as "(MIT OR Apache-2.0)" leaves the choice to us. */
const choicesOf = ({ licenses = [] }: Component): string[] =>
  licenses.flatMap(({ license, expression }) =>
    expression === undefined ? [license?.id ?? license?.name ?? ''] : expression.replaceAll(/[()]/g, '').split(' OR '),
  )

const npm = ['sbom', '--omit=dev', '--sbom-format=cyclonedx', '--loglevel=error']
const text = execFileSync('npm', npm, { cwd: root, encoding: 'utf8', maxBuffer: 1e8 })
const components = (JSON.parse(text) as { components: Component[] }).components.toSorted((a, b) =>
  a.name.localeCompare(b.name),
)

const folder = join(root, 'build')
mkdirSync(folder, { recursive: true })
writeFileSync(join(folder, 'sbom.cyclonedx.json'), text)
const lines = components.map(
  (component) => `| ${component.name} | ${component.version} | ${choicesOf(component).join(' or ') || 'none'} |`,
)
const page = ['# Licences of the packages', '', '| Package | Version | Licence |', '|---|---|---|', ...lines, '']
writeFileSync(join(folder, 'licences.md'), page.join('\n'))

const unread = components.filter((component) => !choicesOf(component).some((licence) => ALLOWED.includes(licence)))
console.log(`wrote build/sbom.cyclonedx.json and build/licences.md: ${components.length} packages`)
for (const { name, version } of unread) console.error(`no licence that is allowed: ${name} ${version}`)
process.exit(unread.length === 0 ? 0 : 1)
