/** The least a server on this runtime can do: no routing, no key, no database. What it reaches is the ceiling. */
const server = Bun.serve({
  hostname: '127.0.0.1',
  port: Number(process.env.PORT ?? 0),
  fetch: () => Response.json({ object: 'identity', key: { id: 'key_00000000000000000000000000' }, scopes: ['all'] }),
})
process.on('SIGTERM', () => void server.stop(true).then(() => process.exit(0)))
process.stdout.write(`${server.url.origin}\n`)
