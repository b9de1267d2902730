import { mkdirSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { referenceFiles } from './reference-files.ts'

/** `npm run openapi`: writes what is generated from the code, so that it can be committed and reviewed. */
const repository = join(import.meta.dirname, '..')

for (const [path, text] of Object.entries(referenceFiles())) {
  mkdirSync(dirname(join(repository, path)), { recursive: true })
  writeFileSync(join(repository, path), text)
  console.log(`wrote ${path}`)
}
