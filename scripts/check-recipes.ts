import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { type Recipe, recipes } from './recipes/recipes.ts'

/**
 * Follows the recipes of CONTRIBUTING.md in a copy of the project: a payment provider, a channel, a route, an event and a page. It
 * fails when a recipe leaves out a file that has to be edited, when the copy does not compile, when a text is missing,
 * or when what was added appears in none of the places that are said to follow from it.
 */
const project = join(import.meta.dirname, '..')
const COPIED = [
  'src',
  'bench',
  'console',
  'sdk',
  'scripts',
  'migrations',
  'docs',
  'test',
  'bin',
  'package.json',
  'tsconfig.json',
]

/** Where each recipe has to show up in what is generated, by file. */
const APPEARS: [file: string, text: string][] = [
  ['sdk/src/generated/types.ts', "'recipe'"],
  ['openapi.json', '"/recipes"'],
  ['openapi.json', '"recipe.created"'],
  ['asyncapi.json', 'recipe.created'],
  ['sdk/src/generated/resources.ts', 'recipes'],
  ['sdk/src/generated/event-types.ts', 'recipe.created'],
]

const problems: string[] = []
const copy = mkdtempSync(join(tmpdir(), 'nexkit-recipes-'))
try {
  for (const name of COPIED) cpSync(join(project, name), join(copy, name), { recursive: true })
  symlinkSync(join(project, 'node_modules'), join(copy, 'node_modules'))
  writeFileSync(join(copy, 'tsconfig.json'), withoutTests(readFileSync(join(copy, 'tsconfig.json'), 'utf8')))
  for (const recipe of recipes) follow(recipe)
  if (problems.length === 0) await look()
} finally {
  rmSync(copy, { recursive: true, force: true })
}
for (const problem of problems) console.error(problem)
if (problems.length > 0) process.exit(1)
console.log(`${recipes.length} recipes work as CONTRIBUTING.md lists them.`)

/** Tests are no part of a recipe that types could check, and they take as long as everything else. */
function withoutTests(text: string): string {
  return text.replace(
    '"include": ["src", "test", "bench", "scripts"]',
    '"include": ["src", "scripts"], "exclude": ["**/*.test.ts", "**/*.suite.ts"]',
  )
}

function follow({ title, files, edits }: Recipe): void {
  const contributing = readFileSync(join(project, 'CONTRIBUTING.md'), 'utf8')
  const [, recipe = ''] = contributing.split(`**${title}**`)
  const says = recipe.split(/\n\*\*Add |\n## /)[0] ?? ''
  if (says === '') problems.push(`CONTRIBUTING.md has no recipe "${title}".`)
  for (const [path, text] of Object.entries(files)) {
    mkdirSync(dirname(join(copy, path)), { recursive: true })
    writeFileSync(join(copy, path), text.trimStart())
  }
  for (const { path, behind, add } of edits) {
    if (!isNamed(says, path)) problems.push(`The recipe "${title}" does not name ${path}, which has to be edited.`)
    const lines = readFileSync(join(copy, path), 'utf8').split('\n')
    const at = lines.findIndex((line) => line.startsWith(behind))
    if (at < 0) problems.push(`${path} has no line that begins with: ${behind}`)
    writeFileSync(join(copy, path), insert(lines, at, behind, add).join('\n'))
  }
}

/** A face is meant where the recipe speaks of one; so is every file of a folder that it names. */
function isNamed(says: string, path: string): boolean {
  const [, capability] = /^src\/([\w-]+)\/\1\.ts$/.exec(path) ?? []
  if (capability !== undefined) return says.includes('face')
  return says.includes(`\`${path}\``) || says.includes(`\`${dirname(path)}/\``)
}

/** Behind the line; into the list, where the line opens and closes one. */
function insert(lines: string[], at: number, behind: string, add: string): string[] {
  const line = lines[at] ?? ''
  const isOneLine = behind.endsWith('[') && line.includes(']', behind.length)
  const now = isOneLine ? [line.replace(behind, `${behind}${add.trim()} `)] : [line, add]
  return lines.toSpliced(at, 1, ...now)
}

async function look(): Promise<void> {
  await run('what is generated', [process.execPath, 'scripts/write-reference.ts'])
  for (const [file, text] of APPEARS)
    if (!readFileSync(join(copy, file), 'utf8').includes(text)) problems.push(`${text} does not appear in ${file}.`)
  const compiler = join(project, 'node_modules/.bin/tsc')
  await run('the types of the server', ['node', compiler, '--noEmit'])
  await run('the types of the console', ['node', compiler, '--noEmit', '-p', 'console'])
  await run('the texts', [process.execPath, 'test', 'console/app/text/server-id.test.ts'])
}

async function run(what: string, command: string[]): Promise<void> {
  const child = Bun.spawn(command, { cwd: copy, stdout: 'pipe', stderr: 'pipe' })
  const [output, errors] = await Promise.all([new Response(child.stdout).text(), new Response(child.stderr).text()])
  if ((await child.exited) !== 0) problems.push(`After all recipes, ${what} cannot be checked:\n${output}${errors}`)
}
