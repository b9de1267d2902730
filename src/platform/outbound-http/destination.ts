import { headStart } from './request-bytes.ts'
import { urlHost, urlPort } from './url-check.ts'

/** A URL taken apart once. The same few endpoints are delivered to over and over, so the newest ones are remembered. */
export type Destination = {
  isHttps: boolean
  host: string
  port: number
  origin: string
  /** How every request to it begins. */
  headStart: string
}

export type Destinations = (url: string) => Destination

const REMEMBERED_MAX = 1000

/** The result throws a TypeError when the text is no http or https URL. */
export function createDestinations(userAgent: string, method?: 'GET'): Destinations {
  const remembered = new Map<string, Destination>()
  return (text) => {
    const known = remembered.get(text)
    if (known !== undefined) return known
    const destination = readDestination(text, userAgent, method)
    if (remembered.size >= REMEMBERED_MAX) remembered.delete(remembered.keys().next().value as string)
    remembered.set(text, destination)
    return destination
  }
}

function readDestination(text: string, userAgent: string, method?: 'GET'): Destination {
  const url = new URL(text)
  if (url.protocol !== 'https:' && url.protocol !== 'http:')
    throw new TypeError('a webhook goes to an http or https URL')
  return {
    isHttps: url.protocol === 'https:',
    host: urlHost(url),
    port: urlPort(url),
    origin: url.origin,
    headStart: headStart(url, userAgent, method),
  }
}
