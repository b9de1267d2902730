import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { hashOf, type StaticContent } from '../../platform/http/static-content.ts'

/**
 * Scripts and styles of the docs, ours and those of Swagger UI from its package. The address holds a hash of the content,
 * so a browser may keep a file for ever and still sees a new release at once.
 */
const swaggerFolder = () => dirname(createRequire(import.meta.url).resolve('swagger-ui-dist/package.json'))
const ownFolder = () => fileURLToPath(new URL('./assets/', import.meta.url))

const files = {
  'swagger-ui-bundle.js': { folder: swaggerFolder, contentType: 'text/javascript; charset=utf-8' },
  'swagger-ui.css': { folder: swaggerFolder, contentType: 'text/css; charset=utf-8' },
  'reference.js': { folder: ownFolder, contentType: 'text/javascript; charset=utf-8' },
  'reference.css': { folder: ownFolder, contentType: 'text/css; charset=utf-8' },
  'docs.css': { folder: ownFolder, contentType: 'text/css; charset=utf-8' },
}

export type AssetName = keyof typeof files

export type DocsAssets = {
  urlOf(name: AssetName): string
  /** Null when there is no such file, or only another version of it. */
  find(path: string): StaticContent | null
}

const ASSET_PATH = /^\/docs\/assets\/([\w-]+)\/([\w.-]+)$/

/** Nothing is read before it is asked for: most processes never show the docs to anyone. */
export function createDocsAssets(): DocsAssets {
  const loaded = new Map<AssetName, { hash: string; body: Uint8Array }>()
  const load = (name: AssetName) => {
    const body = loaded.get(name)?.body ?? readFileSync(join(files[name].folder(), name))
    const asset = loaded.get(name) ?? { hash: hashOf(body), body }
    loaded.set(name, asset)
    return asset
  }
  return {
    urlOf: (name) => `/docs/assets/${load(name).hash}/${name}`,
    find(path) {
      const [, hash, name] = ASSET_PATH.exec(path) ?? []
      if (name === undefined || !Object.hasOwn(files, name)) return null
      const asset = load(name as AssetName)
      if (asset.hash !== hash) return null
      const { contentType } = files[name as AssetName]
      return { body: asset.body, contentType, cacheControl: 'public, max-age=31536000, immutable' }
    },
  }
}
