export type UrlParts = { fullPath: string; query: string }

/** As the caller wrote them, not decoded: a parser of URLs would take ten times as long, and change what it reads. */
export function splitUrl(url: string): UrlParts {
  const pathStart = url.indexOf('/', url.indexOf('//') + 2)
  const queryStart = url.indexOf('?', pathStart)
  if (queryStart === -1) return { fullPath: url.slice(pathStart), query: '' }
  return { fullPath: url.slice(pathStart, queryStart), query: url.slice(queryStart + 1) }
}

/** The page after this one, for clients that follow links; everything else as it was asked for. */
export function nextPageLink({ fullPath, query }: UrlParts, cursor: string): string {
  const parameters = new URLSearchParams(query)
  parameters.set('cursor', cursor)
  return `<${fullPath}?${parameters}>; rel="next"`
}
