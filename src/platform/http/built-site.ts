import { readdir, readFile } from 'node:fs/promises'
import { extname, join, relative, sep } from 'node:path'
import { escapeHtml } from './escape-html.ts'
import { createStaticReply, type StaticReply } from './static-content.ts'

/**
 * The files of a site that is built in the background after a start. Files are read when they are asked for, because a site
 * can be large and most processes serve few of its pages.
 */
export type BuiltSite = {
  /** The files once they are built; until then, or when the build failed, the page that says so. */
  open(): Promise<SiteFiles | Response>
}

export type SiteFiles = {
  /** By its path within the site; null when there is no such file. */
  find(name: string, options?: { status?: number }): Promise<StaticReply | null>
}

export type BuiltSiteOptions = {
  /** What is built, for the page that is shown meanwhile: "console". */
  title: string
  /** The folder of the build, once there is one; rejects when the build failed. */
  folder: Promise<string>
  headers: Record<string, string>
  /** The file that every build has. */
  index: string
  /** Changes a file before it is served, and can add headers to it. */
  prepare?: (file: SiteFile) => PreparedFile
}

export type SiteFile = { name: string; body: Uint8Array; contentType: string; cacheControl: string }
export type PreparedFile = SiteFile & { headers?: Record<string, string> }

/** A file that the build compressed by Brotli, beside the plain one. */
const PACKED = '.br'

const CONTENT_TYPES: Record<string, string> = {
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.svg': 'image/svg+xml',
  '.json': 'application/json',
  '.png': 'image/png',
  '.woff2': 'font/woff2',
}

const BUILD_WAIT_MS = 8_000
const wait = (milliseconds: number) => new Promise<void>((resolve) => setTimeout(resolve, milliseconds).unref())

export function createBuiltSite(options: BuiltSiteOptions): BuiltSite {
  let files: SiteFiles | null = null
  let failure: Error | null = null
  const loading = options.folder
    .then((folder) => listFiles(folder, options))
    .then(
      (loaded) => {
        files = loaded
      },
      (error: Error) => {
        failure = error
      },
    )
  return {
    async open() {
      if (files === null && failure === null) await Promise.race([loading, wait(BUILD_WAIT_MS)])
      return files ?? notBuilt(options, failure)
    },
  }
}

/** Of the files that were asked for last. */
const KEPT_MAX = 100

async function listFiles(folder: string, options: BuiltSiteOptions): Promise<SiteFiles> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true })
  const names = new Set(
    entries
      .filter((entry) => entry.isFile() && !entry.name.startsWith('.'))
      .map((entry) => relative(folder, join(entry.parentPath, entry.name)).split(sep).join('/')),
  )
  if (!names.has(options.index)) throw new Error(`the build of the ${options.title} has no page`)
  const kept = new Map<string, Promise<StaticReply>>()
  return {
    async find(name, { status } = {}) {
      if (!names.has(name)) return null
      const read = async () => {
        const packed = names.has(name + PACKED) ? await readFile(join(folder, name + PACKED)) : undefined
        return replyOf({ name, body: await readFile(join(folder, name)), packed }, options, status)
      }
      const reply = kept.get(name) ?? read()
      kept.delete(name)
      kept.set(name, reply)
      const [oldest] = kept.keys()
      if (kept.size > KEPT_MAX && oldest !== undefined) kept.delete(oldest)
      // A file that could not be read is tried again with the next request.
      reply.catch(() => kept.delete(name))
      return reply
    },
  }
}

function replyOf(
  { name, body, packed }: { name: string; body: Uint8Array; packed: Uint8Array | undefined },
  options: BuiltSiteOptions,
  status: number | undefined,
): StaticReply {
  // Files with a hash of their content in their name may be kept by browsers for good.
  const cacheControl = name.startsWith('assets/') ? 'public, max-age=31536000, immutable' : 'no-cache'
  const file = { name, body, contentType: CONTENT_TYPES[extname(name)] ?? 'application/octet-stream', cacheControl }
  const prepared: PreparedFile = options.prepare?.(file) ?? file
  return createStaticReply({
    ...prepared,
    headers: { ...options.headers, ...prepared.headers },
    ...(packed !== undefined && prepared.body === body && { packed }),
    ...(status !== undefined && { status }),
  })
}

function notBuilt({ title, headers }: BuiltSiteOptions, failure: Error | null): Response {
  const detail =
    failure === null
      ? `The ${title} is being built. This takes a few seconds after the first start; this page reloads when it is ready.`
      : `The ${title} could not be built: ${failure.message} The API works without it. See the log of the server.`
  const page = `<!doctype html><html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width">${
    failure === null ? '<meta http-equiv="refresh" content="2">' : ''
  }<title>Nexkit ${title}</title></head><body><p>${escapeHtml(detail)}</p></body></html>`
  return new Response(page, {
    status: 503,
    headers: {
      ...headers,
      'Content-Type': 'text/html; charset=utf-8',
      'Cache-Control': 'no-store',
      'Retry-After': '2',
    },
  })
}
