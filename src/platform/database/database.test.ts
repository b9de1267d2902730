import { beforeEach, describe, expect, test } from 'bun:test'
import { useTestDatabase } from '../../../test/support/database.ts'
import { until } from '../../../test/support/until.ts'
import { type Database, openDatabase, type Queries, type Tx } from './database.ts'
import { isDatabaseUnavailable, isUniqueViolation } from './database-errors.ts'

const db = useTestDatabase()

const backendOf = async (queries: Pick<Database, 'one'>) =>
  (await queries.one<{ pid: number }>`select pg_backend_pid() as pid`).pid

describe('statements', () => {
  test('values are parameters, whatever they hold', async () => {
    const text = `'; drop table organizations; -- "$1"`
    expect((await db.database.one<{ text: string }>`select ${text} as text`).text).toBe(text)
  })

  test('arrays of every kind arrive as arrays', async () => {
    const at = new Date('2026-11-14T09:30:00.123Z')
    const row = await db.database.one`
      select ${['a', null, 'NULL', 'q"\\', '']}::text[] as texts, ${[1, 2]}::int[] as numbers, ${[true, false]}::boolean[] as flags,
        ${[at, null]}::timestamptz[] as times, ${[Buffer.from('x')]}::bytea[] as bytes, ${[]}::text[] as none`
    expect(row).toEqual({
      texts: ['a', null, 'NULL', 'q"\\', ''],
      numbers: [1, 2],
      flags: [true, false],
      times: [at, null],
      bytes: [Buffer.from('x')],
      none: [],
    })
  })

  test('arrays of texts arrive unchanged, whatever the texts hold', async () => {
    const arrays = [
      ['a,b', '{}', ' spaces ', '🙂é', 'null', '"', '\\', '\\n', '\\\\"'],
      ['line\nfeed', 'tab\t', 'return\r', '\u0001', '\\\n', 'q"\b\f'],
      ['{"json":"line\\nfeed \\"quoted\\""}', '\\u0041'],
    ]
    for (const texts of arrays) expect(await db.database.one`select ${texts}::text[] as texts`).toEqual({ texts })
  })

  test('arrays with nulls arrive with nulls', async () => {
    const rows = await db.database.many`
      select * from unnest(${['a', null]}::text[], ${[null, new Date(0)]}::timestamptz[], ${[true, null]}::boolean[]) as row (text, at, flag)`
    expect(rows).toEqual([
      { text: 'a', at: null, flag: true },
      { text: null, at: new Date(0), flag: null },
    ])
  })

  test('big integers are numbers', async () => {
    expect((await db.database.one<{ value: number }>`select 9007199254740991::bigint as value`).value).toBe(
      9007199254740991,
    )
  })

  test('one refuses more or fewer rows than one', async () => {
    await expect(db.database.one`select 1 where false`).rejects.toThrow('expected one row')
    await expect(db.database.maybeOne`select generate_series(1, 2)`).rejects.toThrow('at most one row')
  })

  test('a statement that runs too long is cut off and counts as unavailable', async () => {
    const impatient = openDatabase({ url: db.url, connectionsMax: 1, statementTimeoutMs: 50 })
    const failure = await impatient.run`select pg_sleep(5)`.catch((error) => error)
    expect(isDatabaseUnavailable(failure)).toBe(true)
    await impatient.close()
  })

  test('a database counts as unavailable when it refuses writes or logins', async () => {
    await db.database.script('create table closed (id int)')
    const failureAt = async (change: (url: URL) => void) => {
      const url = new URL(db.url)
      change(url)
      const closed = openDatabase({ url: url.href, connectionsMax: 1 })
      const failure = await closed.run`insert into closed values (1)`.catch((error) => error)
      await closed.close()
      return failure
    }
    const failures = [
      await failureAt((url) => url.searchParams.set('default_transaction_read_only', 'on')),
      await failureAt((url) => Object.assign(url, { pathname: '/no_such_database' })),
      await failureAt((url) => Object.assign(url, { username: 'no_such_role' })),
    ]
    expect(failures.map((failure) => [failure.code, isDatabaseUnavailable(failure)])).toEqual([
      ['25006', true],
      ['3D000', true],
      [expect.stringMatching(/^28/), true],
    ])
  })
})

test('a script that takes long holds up no single statement', async () => {
  const few = openDatabase({ url: db.url, connectionsMax: 2 })
  try {
    let isOver = false
    const script = few.script('select pg_sleep(1)').then(() => {
      isOver = true
    })
    expect(await few.one`select 1 as one`).toEqual({ one: 1 })
    expect(isOver).toBe(false)
    await script
  } finally {
    await few.close()
  }
})

describe('a transaction', () => {
  test('is undone as a whole by an error', async () => {
    await db.database.script('create table undone (id int)')
    const work = db.database.transaction(async (tx) => {
      await tx.run`insert into undone values (1)`
      throw new Error('no')
    })
    await expect(work).rejects.toThrow('no')
    expect(await db.database.many`select * from undone`).toEqual([])
  })

  test('survives a failed savepoint', async () => {
    await db.database.script('create table saved (id int primary key)')
    await db.database.transaction(async (tx) => {
      await tx.run`insert into saved values (1)`
      const failure = await tx.savepoint((inner) => inner.run`insert into saved values (1)`).catch((error) => error)
      expect(isUniqueViolation(failure, 'saved_pkey')).toBe(true)
      await tx.run`insert into saved values (2)`
    })
    expect(await db.database.many`select id from saved order by id`).toEqual([{ id: 1 }, { id: 2 }])
  })

  test('refuses the statements of a branch that runs on when its work has failed', async () => {
    await db.database.script('create table straggled (id int)')
    const { promise: failed, resolve } = Promise.withResolvers<void>()
    const branches: Promise<unknown>[] = []
    const branch = async (tx: Tx) => {
      await failed
      await tx.run`insert into straggled values (1)`
    }
    const fail = (tx: Tx) => {
      branches.push(branch(tx).catch((error) => error.message))
      throw new Error('failed')
    }
    await expect(db.database.transaction(async (tx) => fail(tx))).rejects.toThrow('failed')
    await db.database.transaction(async (tx) => {
      await expect(tx.savepoint(async (inner) => fail(inner))).rejects.toThrow('failed')
      resolve()
      await Promise.all(branches)
    })
    const refusal = 'the transaction is over: nothing can be sent any more'
    expect(await Promise.all(branches)).toEqual([refusal, refusal])
    expect(await db.database.many`select * from straggled`).toEqual([])
  })

  test('forgets the pokes and callbacks of a savepoint that was undone', async () => {
    const [notified, poked] = [[] as string[], [] as string[]]
    const listeners = await Promise.all(
      ['kept', 'undone'].map((channel) => db.database.listen(channel, () => poked.push(channel))),
    )
    await db.database.transaction(async (tx) => {
      const keep = (inner: Tx, name: string) => {
        inner.poke(name)
        inner.afterCommit(() => notified.push(name))
      }
      await tx
        .savepoint(async (inner) => {
          await inner.savepoint(async (innermost) => keep(innermost, 'undone'))
          throw new Error('no')
        })
        .catch(() => {})
      await tx.savepoint(async (inner) => keep(inner, 'kept'))
    })
    await until(async () => poked.includes('kept'))
    expect([notified, [...new Set(poked)]]).toEqual([['kept'], ['kept']])
    for (const listener of listeners) await listener.close()
  })

  test('that PostgreSQL undoes at its commit is an error', async () => {
    await db.database.script('create table hidden (id int primary key)')
    const work = db.database.transaction(async (tx) => {
      await tx.run`insert into hidden values (1)`
      await tx.run`insert into hidden values (1)`.catch(() => {})
    })
    await expect(work).rejects.toThrow('answered its commit with ROLLBACK')
    expect(await db.database.many`select * from hidden`).toEqual([])
  })

  test('that loses a race for serializability is run again until it holds', async () => {
    await db.database.script(
      'create table counters (id int primary key, value int); insert into counters values (1, 0)',
    )
    const increment = () =>
      db.database.transaction(
        async (tx) => {
          const { value } = await tx.one<{ value: number }>`select value from counters where id = 1`
          await tx.run`update counters set value = ${value + 1} where id = 1`
        },
        { isolation: 'serializable' },
      )
    await Promise.all([increment(), increment(), increment()])
    expect(await db.database.one`select value from counters`).toEqual({ value: 3 })
  })

  test('has the isolation that it asks for', async () => {
    const level = await db.database.transaction(
      (tx) => tx.one`select current_setting('transaction_isolation') as level`,
      { isolation: 'repeatable read' },
    )
    expect(level).toEqual({ level: 'repeatable read' })
  })

  describe('that finishes with its last statements', () => {
    test('is committed with them, and nothing can follow', async () => {
      await db.database.script('create table finished (id int primary key)')
      const after = await db.database.transaction(async (tx) => {
        await tx.run`insert into finished values (1)`
        const counts = await tx.finish(() =>
          Promise.all([tx.run`insert into finished values (2)`, tx.run`insert into finished values (3)`]),
        )
        expect(counts).toEqual([1, 1])
        return tx.run`insert into finished values (4)`.catch((error) => String(error))
      })
      expect(after).toContain('the transaction is over')
      expect(await db.database.many`select id from finished order by id`).toEqual([{ id: 1 }, { id: 2 }, { id: 3 }])
    })

    test('is undone with them', async () => {
      await db.database.script('create table unfinished (id int primary key)')
      const work = db.database.transaction(async (tx) => {
        await tx.run`insert into unfinished values (1)`
        await tx.finish(() => tx.run`insert into unfinished values (1)`)
      })
      expect(isUniqueViolation(await work.catch((error) => error), 'unfinished_pkey')).toBe(true)
      expect(await db.database.many`select id from unfinished order by id`).toEqual([])
    })

    test('is refused when the commit would overtake them', async () => {
      await db.database.script('create table overtaken (id int)')
      const work = db.database.transaction((tx) =>
        tx.finish(async () => {
          await Promise.resolve()
          return tx.run`insert into overtaken values (1)`
        }),
      )
      await expect(work).rejects.toThrow('has to be sent at once')
      expect(await db.database.many`select id from overtaken order by id`).toEqual([])
    })

    test('that lost a race is run again', async () => {
      await db.database.script('create table races (id int primary key, value int); insert into races values (1, 0)')
      const increment = () =>
        db.database.transaction(
          async (tx) => {
            const { value } = await tx.one<{ value: number }>`select value from races where id = 1`
            await tx.finish(() => tx.run`update races set value = ${value + 1} where id = 1`)
          },
          { isolation: 'serializable', opensWithReads: true },
        )
      await Promise.all([increment(), increment(), increment()])
      expect(await db.database.one`select value from races`).toEqual({ value: 3 })
    })
  })

  describe('that keeps something for its end', () => {
    const write = (queries: Queries, values: number[]) =>
      queries.run`insert into ended (value) select unnest(${values}::int[])`
    const valuesIn = async () =>
      (await db.database.many<{ value: number }>`select value from ended order by place`).map(({ value }) => value)

    beforeEach(() =>
      db.database.script('drop table if exists ended; create table ended (place serial primary key, value int unique)'),
    )

    test('writes it after everything else, all of a kind in one statement', async () => {
      await db.database.transaction(async (tx) => {
        tx.atEnd(write, 3)
        await tx.run`insert into ended (value) values (1)`
        tx.atEnd(write, 4, 5)
        await tx.run`insert into ended (value) values (2)`
      })
      expect(await valuesIn()).toEqual([1, 2, 3, 4, 5])
    })

    test('writes it behind the last statements of one that finishes', async () => {
      await db.database.transaction(async (tx) => {
        tx.atEnd(write, 2)
        await tx.finish(() => tx.run`insert into ended (value) values (1)`)
      })
      expect(await valuesIn()).toEqual([1, 2])
    })

    test('is undone with it', async () => {
      const work = db.database.transaction(async (tx) => {
        await tx.run`insert into ended (value) values (1)`
        tx.atEnd(write, 2, 1)
      })
      expect(isUniqueViolation(await work.catch((error) => error))).toBe(true)
      expect(await valuesIn()).toEqual([])
    })

    test('forgets what a savepoint kept that was undone, and keeps what another did', async () => {
      await db.database.transaction(async (tx) => {
        const failing = tx.savepoint(async (inner) => {
          inner.atEnd(write, 1)
          throw new Error('changed my mind')
        })
        await expect(failing).rejects.toThrow('changed my mind')
        await tx.savepoint(async (inner) => inner.atEnd(write, 2))
      })
      expect(await valuesIn()).toEqual([2])
    })

    test('is refused when the commit would overtake it', async () => {
      const late = async (queries: Queries, values: number[]) => {
        await Promise.resolve()
        await write(queries, values)
      }
      const work = db.database.transaction(async (tx) => tx.atEnd(late, 1))
      await expect(work).rejects.toThrow('has to be sent at once')
      expect(await valuesIn()).toEqual([])
    })
  })

  test('that opens with reads and cannot begin changes nothing', async () => {
    await db.database.script('create table unopened (id int)')
    const seen: unknown[] = []
    const work = db.database.transaction(
      async (tx) => {
        seen.push(await tx.one`select 1 as one`)
        await tx.run`insert into unopened values (1)`
      },
      { isolation: 'nonsense' as never, opensWithReads: true },
    )
    await expect(work).rejects.toThrow('syntax error')
    expect(seen).toEqual([{ one: 1 }])
    expect(await db.database.many`select id from unopened`).toEqual([])
  })

  test('whose connection dies before its work is done is run again and takes effect once', async () => {
    await db.database.script('create table survivors (id int)')
    let tries = 0
    await db.database.transaction(async (tx) => {
      tries += 1
      await tx.run`insert into survivors values (1)`
      if (tries === 1) await db.database.run`select pg_terminate_backend(${await backendOf(tx)}::int)`
      await tx.run`insert into survivors values (2)`
    })
    expect(tries).toBe(2)
    expect(await db.database.many`select id from survivors order by id`).toEqual([{ id: 1 }, { id: 2 }])
  })

  test('whose connection dies goes on nowhere else: what it still tries is refused', async () => {
    await db.database.script('create table strays (id int)')
    const failures: string[] = []
    let tries = 0
    await db.database.transaction(async (tx) => {
      tries += 1
      if (tries > 1) return
      await db.database.run`select pg_terminate_backend(${await backendOf(tx)}::int)`
      for (let round = 0; round < 5; round++)
        await tx.run`insert into strays values (${round})`.catch((error) => failures.push(error.code))
      throw Object.assign(new Error('lost'), { code: 'CONNECTION_CLOSED' })
    })
    expect(failures.length).toBe(5)
    expect(await db.database.many`select * from strays`).toEqual([])
  })

  test('survives that every connection is cut again and again while sixty run at once', async () => {
    await db.database.script('create table hardened (id int primary key)')
    const database = openDatabase({ url: db.url, applicationName: 'cut', connectionsMax: 6 })
    let isDone = false
    const cutting = (async () => {
      for (let cuts = 0; cuts < 10 && !isDone; cuts++) {
        await db.database.run`select pg_terminate_backend(pid) from pg_stat_activity where application_name = 'cut'`
        await db.database.run`select pg_sleep(0.02)`
      }
    })()
    const outcomes = await Promise.allSettled(
      Array.from({ length: 60 }, (_, id) =>
        database.transaction(async (tx) => {
          await tx.run`insert into hardened values (${id})`
          await tx.run`select pg_sleep(0.005)`
        }),
      ),
    )
    isDone = true
    await cutting
    const stored = new Set((await db.database.many<{ id: number }>`select id from hardened`).map((row) => row.id))
    for (const [id, outcome] of outcomes.entries())
      if (outcome.status === 'fulfilled') expect(stored.has(id)).toBe(true)
    expect(outcomes.filter((outcome) => outcome.status === 'fulfilled').length).toBeGreaterThan(50)
    expect((await database.one<{ ok: number }>`select 1 as ok`).ok).toBe(1)
    await database.close()
  })

  test('sends statements that do not wait for each other together', async () => {
    const pids = await db.database.transaction((tx) => Promise.all([backendOf(tx), backendOf(tx), backendOf(tx)]))
    expect(new Set(pids).size).toBe(1)
  })
})

test('what waits for the commit runs after it, and not at all when the transaction is undone', async () => {
  const ran: string[] = []
  await db.database.transaction(async (tx) => tx.afterCommit(() => ran.push('committed')))
  const undone = db.database.transaction(async (tx) => {
    tx.afterCommit(() => ran.push('undone'))
    throw new Error('undone')
  })
  await expect(undone).rejects.toThrow()
  expect(ran).toEqual(['committed'])
})

describe('notifications', () => {
  test('many pokes become few, and none is sent by a transaction that is undone', async () => {
    let heard = 0
    const listener = await db.database.listen('test_channel', () => {
      heard += 1
    })
    for (let round = 0; round < 50; round++) db.database.poke('test_channel')
    await until(() => heard > 0)
    await db.database.transaction(async (tx) => tx.poke('test_channel'))
    await until(() => heard > 1)
    const undone = db.database.transaction(async (tx) => {
      tx.poke('test_channel')
      throw new Error('undone')
    })
    await expect(undone).rejects.toThrow()
    await db.database.notify('test_channel', 'last')
    await until(() => heard > 2)
    expect(heard).toBe(3)
    await listener.close()
  })

  test('a process without others sends no notification, and its own listeners hear of pokes all the same', async () => {
    const other = openDatabase({ url: db.url })
    const here: string[] = []
    const there: string[] = []
    const listeners = [
      await db.database.listen('alone', () => here.push('poke')),
      await other.listen('alone', (payload) => there.push(payload)),
    ]
    db.database.setAlone(true)
    db.database.poke('alone')
    await db.database.notify('alone', 'unheard')
    await until(() => here.length === 1)
    db.database.setAlone(false)
    await db.database.notify('alone', 'heard')
    await until(() => there.length > 0)
    expect(there).toEqual(['heard'])
    for (const listener of listeners) await listener.close()
    await other.close()
  })

  test('a poke reaches the listeners of this process in the same turn, and those of others once', async () => {
    const other = openDatabase({ url: db.url })
    const here: string[] = []
    const there: string[] = []
    const listeners = [
      await db.database.listen('poked_channel', (payload) => here.push(payload)),
      await other.listen('poked_channel', (payload) => there.push(payload)),
    ]
    db.database.poke('poked_channel')
    await Promise.resolve()
    expect(here).toEqual([''])
    await until(() => there.length > 0)
    await db.database.notify('poked_channel', 'last')
    await until(() => here.includes('last') && there.includes('last'))
    expect([here, there]).toEqual([
      ['', 'last'],
      ['', 'last'],
    ])
    for (const listener of listeners) await listener.close()
    await other.close()
  })

  test('all channels of a process are listened to over one connection, which closes after the last listener', async () => {
    const database = openDatabase({ url: db.url, applicationName: 'one listener' })
    const count = async () =>
      (
        await db.database.one<{ count: number }>`
          select count(*)::int as count from pg_stat_activity where application_name = 'one listener'`
      ).count
    const messages: string[] = []
    const listeners = await Promise.all(
      ['first_channel', 'second_channel'].map((channel) =>
        database.listen(channel, (payload) => messages.push(`${channel} ${payload}`)),
      ),
    )
    expect(await count()).toBe(1)
    await db.database.notify('first_channel', 'a')
    await db.database.notify('second_channel', 'b')
    await until(() => messages.length === 2)
    await listeners[0]?.close()
    await db.database.notify('first_channel', 'unheard')
    await db.database.notify('second_channel', 'c')
    await until(() => messages.includes('second_channel c'))
    expect(messages).toEqual(['first_channel a', 'second_channel b', 'second_channel c'])
    await listeners[1]?.close()
    await until(async () => (await count()) === 0)
    await database.close()
  })

  test('a listener is called when its connection is back, because it may have missed notifications', async () => {
    const database = openDatabase({ url: db.url, applicationName: 'listener under test' })
    let connected = 0
    const messages: string[] = []
    const listener = await database.listen(
      'other_channel',
      (payload) => messages.push(payload),
      () => {
        connected += 1
      },
    )
    await db.database
      .run`select pg_terminate_backend(pid) from pg_stat_activity where application_name = 'listener under test'`
    await until(() => connected === 2)
    await database.notify('other_channel', 'again')
    await until(() => messages.includes('again'))
    await listener.close()
    await database.close()
  })
})
