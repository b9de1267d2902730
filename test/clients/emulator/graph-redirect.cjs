/**
 * For programs that have `https://graph.facebook.com` in their code: `node --require graph-redirect.cjs app.js` sends what they
 * request there to GRAPH_URL instead, such as http://127.0.0.1:3900. Nothing else is changed.
 */
const http = require('node:http')
const https = require('node:https')
const { urlToHttpOptions } = require('node:url')

const HOST = 'graph.facebook.com'
const emulator = new URL(process.env.GRAPH_URL)

const request = https.request
https.request = (...given) => {
  const [first, second] = given
  const isUrl = typeof first === 'string' || first instanceof URL
  const options = isUrl ? { ...urlToHttpOptions(new URL(first)), ...(typeof second === 'object' && second) } : first
  if ((options.hostname ?? options.host) !== HOST) return request(...given)
  const { protocol, agent, agents, ...rest } = options
  const target = { ...rest, host: emulator.hostname, hostname: emulator.hostname, port: emulator.port }
  return http.request(
    target,
    given.find((each) => typeof each === 'function'),
  )
}

const fetchAnywhere = globalThis.fetch
globalThis.fetch = (resource, init) =>
  fetchAnywhere(typeof resource === 'string' ? resource.replace(`https://${HOST}`, emulator.origin) : resource, init)
