import postgres from 'postgres'

/**
 * What the bare servers of the bench share: requests that wait at the same time are written by one statement, two batches
 * under way at most. No key, no checks, no log: what such a server reaches is the ceiling of the machine.
 */
export type BareServer<Item> = {
  /** From the body of a request to what is stored of it, and what is answered. */
  read: (body: unknown) => { item: Item; answer: object }
  write: (sql: postgres.Sql, batch: readonly Item[]) => Promise<unknown>
}

const BATCHES_IN_FLIGHT = 2

export function serveBarely<Item>({ read, write }: BareServer<Item>): void {
  const sql = postgres(process.env.BENCH_DATABASE_URL as string, { max: BATCHES_IN_FLIGHT })
  let waiting: { item: Item; done: () => void }[] = []
  let inFlight = 0
  let isScheduled = false
  const schedule = () => {
    if (isScheduled || waiting.length === 0 || inFlight >= BATCHES_IN_FLIGHT) return
    isScheduled = true
    setImmediate(writeWaiting)
  }
  const writeWaiting = async () => {
    isScheduled = false
    const batch = waiting
    waiting = []
    inFlight += 1
    await write(
      sql,
      batch.map(({ item }) => item),
    )
    inFlight -= 1
    for (const { done } of batch) done()
    schedule()
  }
  Bun.serve({
    hostname: '127.0.0.1',
    port: Number(process.env.PORT),
    async fetch(request) {
      const { item, answer } = read(await request.json())
      await new Promise<void>((done) => {
        waiting.push({ item, done })
        schedule()
      })
      return Response.json(answer, { status: 201 })
    },
  })
  process.on('SIGTERM', () => void sql.end().then(() => process.exit(0)))
  process.stdout.write('ready\n')
}
