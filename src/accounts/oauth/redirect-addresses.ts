/**
 * Where a program may be answered: at an https address, on the person's own computer (RFC 8252, any port), or by an app with
 * a private scheme, as editors have. Another app that intercepts a code cannot use it, because it lacks the proof key.
 */
const LENGTH_MAX = 2000
const LOOPBACK_HOSTS = ['localhost', '127.0.0.1', '[::1]']
/** A scheme that belongs to an app, and not to a browser or an operating system. */
const APP_SCHEME = /^[a-z][a-z0-9+.-]{1,60}:$/
const TAKEN_SCHEMES = [
  'about:',
  'blob:',
  'chrome:',
  'content:',
  'data:',
  'devtools:',
  'feed:',
  'file:',
  'filesystem:',
  'ftp:',
  'hcp:',
  'help:',
  'intent:',
  'itms-services:',
  'jar:',
  'javascript:',
  'ldap:',
  'mailto:',
  'market:',
  'nfs:',
  'resource:',
  'search-ms:',
  'search:',
  'shell:',
  'sip:',
  'smb:',
  'sms:',
  'ssh:',
  'tel:',
  'telnet:',
  'vbscript:',
  'view-source:',
  'vnc:',
  'ws:',
  'wss:',
  'x-man-page:',
]

export function isRedirectAddress(text: string): boolean {
  if (text.length > LENGTH_MAX || text.includes('#') || !URL.canParse(text)) return false
  const { protocol, hostname, username, password } = new URL(text)
  if (username !== '' || password !== '') return false
  if (protocol === 'https:') return true
  if (protocol === 'http:') return LOOPBACK_HOSTS.includes(hostname)
  return APP_SCHEME.test(protocol) && !isTaken(protocol)
}

/** Beside those named above, the pages of a browser's extensions, and what Windows keeps for its own parts. */
const isTaken = (protocol: string): boolean =>
  TAKEN_SCHEMES.includes(protocol) || protocol.endsWith('-extension:') || protocol.startsWith('ms-')

/** What a person can judge of it: the site, or `localhost`, or the scheme of the app. */
export function hostOfRedirect(text: string): string {
  const { protocol, host, hostname } = new URL(text)
  if (protocol === 'https:') return host
  return protocol === 'http:' ? hostname : `${protocol}//`
}
