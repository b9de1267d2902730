import type { Demo } from './demo.ts'

/** What a person sees when the server is up. The token is shown here once and is stored nowhere. */
export function welcome(facts: { url: string; demo: Demo | null; dataDir: string | null; tookMs: number }): string {
  const { url, demo } = facts
  const lines = ['', `  Nexkit is ready on ${url}  (${(facts.tookMs / 1000).toFixed(1)} s)`, '']
  lines.push(`  Console   ${url}/console`)
  lines.push(`  Docs      ${url}/docs`)
  lines.push(`  API       ${url}/api/public/v1`)
  if (facts.dataDir !== null) lines.push(`  Data      ${facts.dataDir}`)
  if (demo !== null) {
    lines.push(
      '',
      `  Organization "${demo.organizationName}" was made for you. What follows is shown this once:`,
      '',
      `    E-mail    ${demo.owner.email}`,
      `    Password  ${demo.owner.password}`,
      `    API key   ${demo.token}`,
      '',
      '  Try it:',
      '',
      `    curl ${url}/api/public/v1/me -H "Authorization: Bearer ${demo.token}"`,
    )
  }
  lines.push('', '')
  return lines.join('\n')
}
