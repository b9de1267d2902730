export type UrlParts = { fullPath: string; query: string }

/** As the caller wrote them, not decoded: a parser of URLs would take ten times as long, and change what it reads. */
export function splitUrl(url: string): UrlParts {
  const pathStart = url.indexOf('/', url.indexOf('//') + 2)
  const queryStart = url.indexOf('?', pathStart)
  if (queryStart === -1) return { fullPath: url.slice(pathStart), query: '' }
  return { fullPath: url.slice(pathStart, queryStart), query: url.slice(queryStart + 1) }
}
