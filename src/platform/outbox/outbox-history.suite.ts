import { quietLog } from '../../../test/support/log.ts'
import type { Id, OrgId } from '../../kernel/ids.ts'
import { upsertProcess } from '../cluster/live-processes.sql.ts'
import type { Database } from '../database/database.ts'
import { ackRuns, endRuns, endsAlone, type FinishedRun } from './ack.ts'
import { claimEntries } from './claim.ts'
import { bornEntry, cancelEntries, enqueue, holdEntries, recordedEntries, releaseEntries } from './entries.ts'
import { Grants } from './grants.ts'
import { type ClaimedEntry, defineJob, indexJobs, type Outcome } from './job.ts'
import { ensureLane, pauseLane, resumeLane } from './lanes.ts'
import { moveLater, reapLeases } from './maintenance-tasks.ts'
import { ageLeases, START_MS } from './outbox.suite.ts'
import { measureRoom, SILENT_MS } from './pools.ts'

/**
 * One random history of the outbox: a few lanes, two processes that claim, run and acknowledge, and accidents at every
 * step. A process may die with what it claimed or ran; a transaction may die before its commit; a commit may hold without
 * the process learning of it; an acknowledgement may be sent again. After every step the rows are checked against what was
 * promised, and at the end every entry must be finished.
 *
 * All chance comes from one seed, all time from one number, so a history that fails can be played again.
 */
const LEASE_MS = 60_000
const LATER = { asideAfterMs: 6_000, backBeforeMs: 2_000 }

type Process = { id: string; claimed: ClaimedEntry[]; ran: FinishedRun[]; sent: FinishedRun[]; grants: Grants }
type Lane = { id: string; orgId: OrgId; concurrencyMax: number; bulkMax: number }
type EntryRow = {
  id: string
  lane_id: string
  order_key: string | null
  position: number
  class: number
  state: string
  is_granted: boolean
}
type LaneCounts = { id: string; in_flight: number; bulk_in_flight: number; granted: number; held: number }
type Snapshot = { entries: EntryRow[] | null; lanes: LaneCounts[]; ended: { entry_id: string; times: number }[] | null }

class Accident extends Error {}

/** Steps that change no row. */
const IN_MEMORY = new Set(['run', 'die', 'fall silent or speak', 'wait', 'wait long'])

/** Mulberry32: small, and the same everywhere. */
function randomFrom(seed: number): () => number {
  let state = seed
  return () => {
    state = (state + 0x6d2b79f5) | 0
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state)
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296
  }
}

export class History {
  readonly #database: Database
  readonly #random: () => number
  readonly #isCalm: boolean
  readonly #processes: Process[]
  readonly #job
  readonly #enqueued = new Set<string>()
  readonly #cancelled = new Set<string>()
  readonly #justClaimed = new Set<string>()
  /** The newest lease of every entry. */
  readonly #leases = new Map<string, number>()
  readonly log: string[] = []
  handedOver = 0
  lent = 0
  #lanes: Lane[] = []
  #tenantInFlightMax = 1
  #nowMs = START_MS
  #entries = 0
  #started = 0
  #isLedgerBroken = false

  /** A calm history has lanes that are well and little that waits, so that most of its work is handed over. */
  constructor(database: Database, seed: number, { isCalm }: { isCalm: boolean }) {
    this.#isCalm = isCalm
    this.#database = database
    this.#random = randomFrom(seed)
    this.#processes = [this.#newProcess(), this.#newProcess()]
    this.#job = defineJob({
      name: 'test.work',
      leaseMs: LEASE_MS,
      retry: { delaysMs: [5_000, 30_000, 60_000, 60_000], jitter: 0.2 },
      run: async () => ({ kind: 'done' }),
      record: async (tx, results) => {
        for (const { entry, disposition } of results)
          await tx.run`insert into ledger (entry_id, lease_number, disposition)
                       values (${entry.id}, ${entry.leaseNumber}, ${disposition})`
        if (this.#isLedgerBroken) throw new Accident('the ledger is closed')
      },
      recordDone: (queries, results) => queries.part`
        written as (
          insert into ledger (entry_id, lease_number, disposition)
          select id, 1, 'done' from unnest(${results.map(({ entry }) => entry.id)}::text[]) as done (id)
          where id in (select id from acked))`,
    })
  }

  #newProcess(): Process {
    this.#started += 1
    const id = `prc_${this.#started}`
    const grants = new Grants({
      database: this.#database,
      clock: { now: () => this.#nowMs },
      log: quietLog,
      processId: id,
      tenantInFlightMax: 16,
      isQuiet: () => true,
      lineMax: 0,
      pace: null,
    })
    return { id, claimed: [], ran: [], sent: [], grants }
  }

  async begin(): Promise<void> {
    // Deleted, not truncated: a few rows, and no new files.
    await this.#database.script(
      `delete from outbox_entries; delete from outbox_lanes; delete from outbox_grants; delete from outbox_key_gaps;
       delete from outbox_later;
       delete from ledger;
       delete from processes`,
    )
    this.#tenantInFlightMax = this.#isCalm ? 16 : this.#between(2, 5)
    for (let index = 0; index < 3; index++) {
      const lane = {
        id: `lane_${index}`,
        orgId: `org_${index % 2}` as const,
        concurrencyMax: this.#isCalm ? this.#between(4, 8) : this.#between(1, 3),
        bulkMax: 1,
      }
      await ensureLane(this.#database, {
        ...lane,
        kind: 'test',
        bulkConcurrencyMax: lane.bulkMax,
        isAdaptive: !this.#isCalm && this.#chance(0.3),
        hasBreaker: this.#chance(0.3),
        keyGapMs: !this.#isCalm && this.#chance(0.2) ? 3_000 : 0,
        ratePerSecond: !this.#isCalm && this.#chance(0.2) ? 2 : null,
      })
      this.#lanes.push(lane)
    }
    await this.#enqueue(this.#isCalm ? 0 : 8)
    if (this.#isCalm) for (const { grants } of this.#processes) await this.#seek(grants)
  }

  async step(): Promise<void> {
    const process = this.#pick(this.#processes)
    const steps: [number, string, () => Promise<unknown>][] = [
      [this.#isCalm ? 1 : 3, 'enqueue', () => this.#enqueue(this.#between(1, 3))],
      [this.#isCalm ? 16 : 2, 'hand over', () => this.#handOver(process)],
      [this.#isCalm ? 8 : 2, 'tend grants', () => this.#mayFail('tend', (database) => process.grants.tend(database))],
      [this.#isCalm ? 10 : 6, 'claim', () => this.#claim(process)],
      [6, 'run', () => this.#run(process)],
      [6, 'ack', () => this.#ack(process)],
      [1, 'send again', () => this.#sendAgain(process)],
      [1, 'die', () => this.#die(process)],
      [2, 'reap', () => this.#mayFail('reap', (database) => reapLeases(database, this.#now()))],
      [1, 'fall silent or speak', () => this.#fallSilentOrSpeak(process)],
      [2, 'put aside', () => this.#mayFail('put aside', (database) => moveLater(database, this.#now(), LATER))],
      [3, 'wait', () => this.#wait(this.#between(100, 8_000))],
      [1, 'wait long', () => this.#wait(LEASE_MS + 1_000)],
      [1, 'pause or resume', () => this.#pauseOrResume()],
      [1, 'cancel', () => this.#cancel()],
      [1, 'hold or release', () => this.#holdOrRelease()],
    ]
    const [, name, take] = this.#pick(steps.flatMap((step) => Array<typeof step>(step[0]).fill(step)))
    this.log.push(`${this.#nowMs - START_MS} ms: ${process.id} ${name}`)
    await take()
    if (!IN_MEMORY.has(name)) await this.#check()
  }

  /** With everything open and no more accidents, every entry is finished in a bounded number of rounds. */
  async finish(): Promise<void> {
    for (const process of this.#processes) await this.#die(process)
    for (const lane of this.#lanes) {
      await this.#database.transaction((tx) => resumeLane(tx, lane))
      await this.#database.transaction((tx) => releaseEntries(tx, lane, null, this.#now()))
    }
    const [process] = this.#processes as [Process]
    for (let round = 0, left = 1; left > 0; round++) {
      if (round > 100) throw new Error(`${left} still there after ${round} rounds`)
      await this.#wait(LEASE_MS)
      await reapLeases(this.#database, this.#now())
      await moveLater(this.#database, this.#now(), LATER)
      await this.#claimFrom(this.#database, process, 6)
      const runs = process.claimed.splice(0).map((entry) => this.#finished(entry, { kind: 'done' }))
      await this.#send(this.#database, runs, process)
      left = await this.#check()
    }
  }

  async #enqueue(count: number): Promise<void> {
    const entries = Array.from({ length: count }, () => {
      const lane = this.#pick(this.#lanes)
      this.#entries += 1
      return {
        id: `ent_${String(this.#entries).padStart(4, '0')}`,
        laneId: lane.id,
        orgId: lane.orgId,
        job: 'test.work',
        class: this.#chance(0.2) ? ('bulk' as const) : ('fresh' as const),
        ...(this.#chance(0.6) ? { orderKey: this.#pick(['a', 'b']) } : {}),
        position: this.#between(0, 2),
        dueAt: new Date(this.#nowMs + (this.#chance(0.3) ? this.#between(0, 20_000) : 0)),
      }
    })
    await enqueue(this.#database, entries)
    for (const entry of entries) this.#enqueued.add(entry.id)
  }

  async #seek(grants: Grants): Promise<void> {
    for (const lane of this.#lanes) grants.release(lane.id, grants.reserve(lane, 1))
    await grants.tend()
  }

  /** Work that is recorded where a slot of its lane may be held. Its transaction may die with it. */
  async #handOver({ id: processId, grants, claimed }: Process): Promise<void> {
    const lane = this.#pick(this.#lanes)
    this.#entries += 1
    const id = `ent_${String(this.#entries).padStart(4, '0')}`
    const entry = {
      id,
      laneId: lane.id,
      orgId: lane.orgId,
      job: 'test.work',
      sourceId: id,
      isOffered: false,
      isBorrowing: false,
    }
    const isOffered = grants.reserve(lane, 1) === 1
    const offered = { ...entry, isOffered, isBorrowing: !isOffered && !grants.holds(lane.id) && this.#chance(0.7) }
    const rows = await this.#mayFail('hand over', (database) =>
      database.transaction(
        (tx) => tx.many<{ id: string; state: string }>`
        with counter as (select true as is_followed), recorded as (select ${id} as id, 0::bigint as sequence),
        ${recordedEntries(tx, lane.orgId, { entries: [offered], offer: { processId, leaseMs: LEASE_MS }, lending: { now: this.#now(), inFlightMax: this.#tenantInFlightMax } })}
        select id, state from entries`,
      ),
    )
    const isHandedOver = rows?.[0]?.state === 'leased'
    if (rows !== undefined) this.#enqueued.add(id)
    if (!isHandedOver) {
      if (offered.isOffered) grants.release(lane.id, 1)
      return
    }
    const born = bornEntry(entry, { leaseMs: LEASE_MS, now: this.#now(), isLent: offered.isBorrowing })
    if (born.isGranted) await grants.turn(born)
    claimed.push(born)
    if (born.isGranted) this.handedOver += 1
    else this.lent += 1
    this.#justClaimed.add(id)
    this.#leases.set(id, born.leaseNumber)
  }

  async #claim(process: Process): Promise<void> {
    const claimed = await this.#mayFail('claim', (database) => this.#claimFrom(database, process, this.#between(1, 6)))
    if (claimed && this.#chance(0.1)) await this.#die(process)
  }

  async #claimFrom(database: Database, process: Process, entriesMax: number): Promise<boolean> {
    const before = process.claimed.length
    for (const orgId of new Set(this.#lanes.map((lane) => lane.orgId)))
      await this.#claimOf(database, process, { orgId, entriesMax })
    return process.claimed.length > before
  }

  async #claimOf(
    database: Database,
    process: Process,
    { orgId, entriesMax }: { orgId: OrgId; entriesMax: number },
  ): Promise<void> {
    const claim = await claimEntries(database, {
      orgId,
      jobs: indexJobs([this.#job]),
      processId: process.id,
      entriesMax,
      lanesMax: this.#between(1, 3),
      tenantInFlightMax: this.#tenantInFlightMax,
      room: measureRoom([], { inFlightMax: 1_000, nowMs: 0 }),
      cloggedLaneIds: new Set(),
      now: this.#now(),
    })
    await this.#checkTenants()
    const early = claim.entries.find((entry) => entry.dueAt.getTime() > this.#nowMs)
    if (early) throw new Error(`${early.id} was claimed before it was due`)
    process.claimed.push(...claim.entries)
    for (const entry of claim.entries) {
      this.#justClaimed.add(entry.id)
      this.#leases.set(entry.id, entry.leaseNumber)
    }
  }

  async #run(process: Process): Promise<void> {
    const entry = process.claimed.shift()
    if (!entry) return
    const outcomes: Outcome[] = [
      ...Array.from({ length: this.#isCalm ? 12 : 0 }, () => ({ kind: 'done' as const })),
      { kind: 'done' },
      { kind: 'done' },
      { kind: 'done' },
      { kind: 'retry', reason: 'status_500' },
      { kind: 'retry', reason: 'timeout', isOverload: true },
      { kind: 'failed', reason: 'refused' },
      { kind: 'defer', until: new Date(this.#nowMs + 4_000), reason: 'not_yet' },
      { kind: 'repeat', at: new Date(this.#nowMs + 2_000) },
      {
        kind: 'retry',
        reason: 'status_429',
        pauseLane: { until: new Date(this.#nowMs + 9_000), reason: 'retry_after' },
      },
    ]
    const outcome = this.#pick(outcomes)
    if (entry.isGranted && outcome.kind !== 'done') process.grants.forget(entry.laneId)
    process.ran.push(this.#finished(entry, outcome))
  }

  async #ack(process: Process): Promise<void> {
    if (process.ran.length === 0) return
    const runs = process.ran.splice(0, this.#between(1, 4))
    this.#isLedgerBroken = this.#chance(0.1)
    const isAcked = await this.#mayFail('ack', (database) => this.#send(database, runs, process))
    this.#isLedgerBroken = false
    if (isAcked === undefined) process.ran.unshift(...runs)
    else process.sent = runs
  }

  /** The commit held, the process did not hear of it and sends the same batch again: nothing may come of it. */
  async #sendAgain(process: Process): Promise<void> {
    const before = await this.#ledgerRows()
    await this.#send(this.#database, process.sent, process)
    if ((await this.#ledgerRows()) !== before) throw new Error('a batch that was sent twice counted twice')
  }

  async #send(database: Database, finished: FinishedRun[], { id, grants }: Process): Promise<true> {
    const jobs = indexJobs([this.#job])
    const plain = finished.filter((run) => endsAlone(run) && !this.#isLedgerBroken)
    const { results: ended } =
      plain.length === 0
        ? { results: [] }
        : await endRuns(this.#database, { jobs, processId: id, runs: plain, now: this.#now() })
    for (const { entry } of finished)
      if (entry.isGranted)
        grants.end(
          entry,
          ended.some((result) => result.entry === entry),
        )
    const runs = finished.filter(({ entry }) => !ended.some((result) => result.entry === entry))
    if (runs.length === 0) return true
    for (const [orgId, ofOrg] of Map.groupBy(runs, ({ entry }) => entry.orgId)) {
      const how = { random: this.#random, now: this.#now(), lockMs: 500 }
      const { results } = await ackRuns(database, { orgId, jobs, runs: ofOrg, ...how })
      const stale = results.find(({ entry }) => entry.leaseNumber !== this.#leases.get(entry.id))
      if (stale) throw new Error(`${stale.entry.id} was acknowledged with a stale lease`)
    }
    return true
  }

  async #die(process: Process): Promise<void> {
    this.#processes[this.#processes.indexOf(process)] = this.#newProcess()
  }

  /** A silent process may still be running: its leases are taken, and what it then acknowledges must not count. */
  async #fallSilentOrSpeak({ id }: Process): Promise<void> {
    await upsertProcess(this.#database, { id: id as Id<'prc'>, role: 'all', host: 'here', pid: 1, version: '1' })
    if (this.#chance(0.5))
      await this.#database.run`update processes set seen_at = now() - interval '1 minute' where id = ${id}`
  }

  async #wait(ms: number): Promise<void> {
    this.#nowMs += ms
    await ageLeases(this.#database, ms)
  }

  async #pauseOrResume(): Promise<void> {
    const lane = this.#pick(this.#lanes)
    await this.#database.transaction((tx) =>
      this.#chance(0.5) ? pauseLane(tx, lane, { reason: 'test' }) : resumeLane(tx, lane),
    )
  }

  async #cancel(): Promise<void> {
    const lane = this.#pick(this.#lanes)
    const ids = [this.#pick([...this.#enqueued])]
    const change = await this.#database.transaction((tx) => cancelEntries(tx, lane, ids))
    // One in flight may still be done; the ledger says whether it was.
    for (const id of [...change.changed, ...change.inFlight]) this.#cancelled.add(id)
  }

  async #holdOrRelease(): Promise<void> {
    const lane = this.#pick(this.#lanes)
    const ids = [this.#pick([...this.#enqueued])]
    await this.#database.transaction((tx) =>
      this.#chance(0.5) ? holdEntries(tx, lane, ids) : releaseEntries(tx, lane, null, this.#now()),
    )
  }

  /** One in ten transactions dies just before its commit. Undefined when it did. */
  async #mayFail<Result>(name: string, work: (database: Database) => Promise<Result>): Promise<Result | undefined> {
    const isDoomed = this.#chance(0.1)
    const dying: Database = {
      ...this.#database,
      transaction: (inner) =>
        this.#database.transaction(async (tx) => {
          await inner(tx)
          throw new Accident(`${name} died before its commit`)
        }),
    }
    try {
      return await work(isDoomed ? dying : this.#database)
    } catch (error) {
      if (!(error instanceof Accident)) throw error
      return undefined
    }
  }

  /** Everything in one statement, as of one moment. */
  #look(): Promise<Snapshot> {
    return this.#database.one<Snapshot>`select
      (select json_agg(json_build_object('id', id, 'lane_id', lane_id, 'order_key', order_key, 'position', position,
        'class', class, 'state', state, 'is_granted', is_granted) order by position, id) from (
          select id, lane_id, order_key, position, class, state, is_granted from outbox_entries
          union all select id, lane_id, order_key, position, class, 'aside', false from outbox_later) both_tables) as entries,
      (select json_agg(json_build_object('id', id, 'in_flight', in_flight, 'bulk_in_flight', bulk_in_flight,
        'granted', granted, 'held', coalesce(held.slots, 0)))
        from outbox_lanes lane left join (
          select org_id, lane_id, sum(slots) as slots from outbox_grants group by org_id, lane_id
        ) held on held.org_id = lane.org_id and held.lane_id = lane.id) as lanes,
      (select json_agg(ended) from (select entry_id, count(*)::int as times from ledger
        where disposition in ('done', 'failed', 'exhausted', 'cancelled') group by entry_id) ended) as ended`
  }

  /** Answers with how many entries are left. */
  async #check(): Promise<number> {
    const { entries, lanes, ended } = await this.#look()
    const leased = entries?.filter((entry) => entry.state === 'leased') ?? []
    for (const lane of this.#lanes)
      this.#checkLane(
        lane,
        leased,
        lanes.find((row) => row.id === lane.id),
      )
    this.#checkEnds(entries?.map((entry) => entry.id) ?? [], new Map(ended?.map((row) => [row.entry_id, row.times])))
    this.#checkOrder(entries ?? [])
    this.#justClaimed.clear()
    return entries?.length ?? 0
  }

  #checkEnds(left: string[], ended: Map<string, number>): void {
    for (const id of left) if (ended.has(id)) throw new Error(`${id} has ended and is still there`)
    for (const [id, times] of ended) if (times > 1) throw new Error(`${id} has ended ${times} times`)
    const kept = new Set([...left, ...ended.keys(), ...this.#cancelled])
    const lost = [...this.#enqueued].filter((id) => !kept.has(id))
    if (lost.length > 0) throw new Error(`lost: ${lost}`)
  }

  #checkLane(lane: Lane, leased: EntryRow[], counts: LaneCounts | undefined): void {
    const mine = leased.filter((entry) => entry.lane_id === lane.id)
    const bulk = mine.filter((entry) => entry.class === 2)
    const claimed = mine.filter((entry) => !entry.is_granted)
    if (counts?.in_flight !== claimed.length || counts.bulk_in_flight !== bulk.length)
      throw new Error(`${lane.id} counts ${counts?.in_flight} of ${claimed.length} in flight`)
    if (counts.granted !== counts.held) throw new Error(`${lane.id} counts ${counts.granted} of ${counts.held} granted`)
    if (claimed.length + counts.granted > lane.concurrencyMax)
      throw new Error(`${lane.id} has ${claimed.length} in flight and ${counts.granted} granted`)
    if (mine.length > lane.concurrencyMax) throw new Error(`${lane.id} has ${mine.length} in flight`)
    if (bulk.length > lane.bulkMax) throw new Error(`${lane.id} has ${bulk.length} bulk entries in flight`)
    const keys = mine.flatMap((entry) => (entry.order_key === null ? [] : [entry.order_key]))
    if (new Set(keys).size < keys.length) throw new Error(`${lane.id} runs two entries of one key: ${keys}`)
  }

  /** Right after a claim: what is in flight in lanes that were served or answered within the last second. */
  async #checkTenants(): Promise<void> {
    const silentSince = new Date(this.#nowMs - SILENT_MS)
    const over = await this.#database.many<{ org_id: OrgId; active: number }>`
      select org_id, sum(in_flight)::int as active from outbox_lanes
      where served_at > ${silentSince} or answered_at > ${silentSince}
      group by org_id having sum(in_flight) > ${this.#tenantInFlightMax}`
    for (const { org_id, active } of over) throw new Error(`${org_id} has ${active} in flight`)
  }

  /** Only the first of a key is claimed. Nor is it parked while none of the key is in flight: nothing would wake it. */
  #checkOrder(entries: EntryRow[]): void {
    const keyed = entries.filter((entry) => entry.order_key !== null)
    for (const ofKey of Map.groupBy(keyed, (entry) => `${entry.lane_id}/${entry.order_key}`).values()) {
      const [first, ...later] = ofKey as [EntryRow, ...EntryRow[]]
      const overtaker = later.find((entry) => entry.state === 'leased' && this.#justClaimed.has(entry.id))
      if (overtaker) throw new Error(`${overtaker.id} overtook ${first.id}`)
      if (first.state === 'behind' && later.every((entry) => entry.state !== 'leased'))
        throw new Error(`parked behind no other: ${first.id}`)
    }
  }

  async #ledgerRows(): Promise<number> {
    return (await this.#database.one<{ count: number }>`select count(*)::int as count from ledger`).count
  }

  #finished = (entry: ClaimedEntry, outcome: Outcome): FinishedRun => ({ entry, outcome, finishedAt: this.#now() })
  #now = () => new Date(this.#nowMs)
  #chance = (share: number) => this.#random() < share
  #between = (low: number, high: number) => low + Math.floor(this.#random() * (high - low + 1))
  #pick = <Item>(items: readonly Item[]): Item => items[Math.floor(this.#random() * items.length)] as Item
}
