import { readFileSync } from 'node:fs'
import { createStaticReply, hashOf, type StaticReply } from '../../platform/http/static-content.ts'

/** The page's own style and script. The address holds a hash of the content, so a browser may keep them for ever. */
const CONTENT_TYPES = {
  'pay.css': 'text/css; charset=utf-8',
  'pay.js': 'text/javascript; charset=utf-8',
  'pay.svg': 'image/svg+xml',
}

type AssetName = keyof typeof CONTENT_TYPES

export type PayAssets = {
  urlOf(name: AssetName): string
  /** Null when there is no such file, or only another version of it. */
  find(path: string): StaticReply | null
}

const FOLDER = new URL('./assets/', import.meta.url)
const IMMUTABLE = 'public, max-age=31536000, immutable'

export function createPayAssets(headers: Record<string, string>): PayAssets {
  const urls = new Map<AssetName, string>()
  const replies = new Map<string, StaticReply>()
  for (const [name, contentType] of Object.entries(CONTENT_TYPES) as [AssetName, string][]) {
    const body = readFileSync(new URL(name, FOLDER))
    const url = `/pay/assets/${hashOf(body)}/${name}`
    urls.set(name, url)
    replies.set(url, createStaticReply({ body, contentType, cacheControl: IMMUTABLE, headers }))
  }
  return { urlOf: (name) => urls.get(name) as string, find: (path) => replies.get(path) ?? null }
}
