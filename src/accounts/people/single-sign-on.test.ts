import { expect, test } from 'bun:test'
import { setTimeout as pause } from 'node:timers/promises'
import { quietLog } from '../../../test/support/log.ts'
import { listen } from '../../platform/runtime/server.ts'
import { createSsoLibrary } from './single-sign-on.ts'

/** A provider that answers after a moment and counts how often it was read. */
function slowProvider() {
  let reads = 0
  const server = listen({
    host: '127.0.0.1',
    port: 0,
    bodyBytesMax: 1024,
    async handle() {
      reads += 1
      await pause(50)
      const issuer = `http://127.0.0.1:${server.port}`
      const endpoints = { authorization_endpoint: issuer, token_endpoint: issuer, jwks_uri: issuer }
      return Response.json({ issuer, ...endpoints, id_token_signing_alg_values_supported: ['RS256'] })
    },
    onError: () => new Response(null, { status: 500 }),
  })
  return { issuer: `http://127.0.0.1:${server.port}`, reads: () => reads, stop: () => server.drain(0) }
}

test('the provider is read once when many people sign in at the same time', async () => {
  const provider = slowProvider()
  const settings = { issuer: provider.issuer, clientId: 'nexkit', clientSecret: 'secret', name: 'SSO' }
  let started = 0
  const library = createSsoLibrary(settings, {
    log: quietLog,
    create: async () => {
      started += 1
      return started
    },
  })
  const libraries = await Promise.all(Array.from({ length: 20 }, () => library()))
  expect([provider.reads(), new Set(libraries)]).toEqual([1, new Set([1])])
  await provider.stop()
})
