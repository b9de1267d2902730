/**
 * Reads JSON from an address that the operator of this server set, which may be private. An address that a tenant set goes through
 * egress.ts instead. Redirects are refused.
 */
export async function readOperatorJson(
  url: string,
  { timeoutMs, headers = {} }: { timeoutMs: number; headers?: Record<string, string> },
): Promise<unknown> {
  const response = await fetch(url, { headers, redirect: 'error', signal: AbortSignal.timeout(timeoutMs) })
  if (!response.ok) throw new Error(`${url} answered with status ${response.status}`)
  return response.json()
}
