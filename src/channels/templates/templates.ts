import type { Clock } from '../../kernel/clock.ts'
import type { OrgId } from '../../kernel/ids.ts'
import { RecentMap } from '../../kernel/recent-map.ts'
import type { Log } from '../../platform/telemetry/log.ts'
import type { ChannelTemplate } from '../channel-connector.ts'
import type { ConnectorMap } from '../channels-context.ts'
import type { OpenedNumbers } from '../numbers/numbers.ts'
import { readBlanks, type TemplateBlanks } from './template-parameters.ts'

/**
 * What the templates of each number ask for, as far as it is known right now. A send never waits for the network:
 *
 *   nothing known ── first template sent ──▶ asked for in the background; until it is here, the channel judges
 *   known ── five minutes later, at the next template ──▶ asked for again, and used meanwhile
 *   known ── something was refused by it ──▶ asked for again, so that a template approved a moment ago counts soon
 *   known ── ten minutes without an answer ──▶ no longer known; where a connector has built-in templates, those
 *
 * Kept in memory, by the version of the number: other credentials or another account begin anew.
 */
export type KnownTemplate = {
  name: string
  language: string
  status: string
  isMarketing: boolean
  blanks: TemplateBlanks
}

/** `readAt` is null for built-in templates of a connector. */
export type KnownTemplates = { templates: readonly KnownTemplate[]; readAt: Date | null }

export type TemplateOwner = { orgId: OrgId; id: string; connector: string; version: number }

export type TemplateDirectory = {
  /** Null when they are not known. Answers at once. */
  peek(owner: TemplateOwner): KnownTemplates | null
  /**
   * Null when `peek` knows all it can. Otherwise waits for the templates of a number that were not read yet and that this server
   * can read at once, because its network is simulated: what was created for it must not be missed after a restart.
   */
  prepare(owner: TemplateOwner): Promise<void> | null
  /** A message was refused by the known definition: check whether it still holds. */
  doubt(owner: TemplateOwner): void
  /** A template was created, edited or deleted through this server: the next message has to see it. */
  refresh(owner: TemplateOwner): Promise<void>
  stop(): Promise<void>
}

export type TemplateDirectoryOptions = { connectors: ConnectorMap; numbers: OpenedNumbers; clock: Clock; log: Log }

const MINUTE_MS = 60_000
const RENEWED_AFTER_MS = 5 * MINUTE_MS
const KNOWN_FOR_MS = 10 * MINUTE_MS
/** Between two questions about one number, whatever is refused: Meta allows a small account 200 of them in an hour. */
const ASKED_EVERY_MS = 30_000
/** Of one question, with all its pages. */
const ANSWER_TIMEOUT_MS = 30_000
const NUMBERS_KEPT_MAX = 500
const QUESTIONS_AT_ONCE_MAX = 8

type Entry = { version: number; askedMs: number; readMs: number; known: KnownTemplates | null }

export function createTemplateDirectory(options: TemplateDirectoryOptions): TemplateDirectory {
  const fixed = fixedTemplates(options.connectors)
  const entries = new RecentMap<string, Entry>({ sizeMax: NUMBERS_KEPT_MAX })
  const asking = new Map<string, Promise<void>>()
  const closing = new AbortController()

  const ask = (owner: TemplateOwner, entry: Entry) => {
    const nowMs = options.clock.now()
    const isTooSoon = nowMs - entry.askedMs < ASKED_EVERY_MS || asking.has(owner.id)
    if (isTooSoon || asking.size >= QUESTIONS_AT_ONCE_MAX || closing.signal.aborted) return
    entry.askedMs = nowMs
    asking.set(
      owner.id,
      readTemplates(options, owner, closing.signal).then((known) => {
        asking.delete(owner.id)
        if (known === null) return
        entry.known = known
        entry.readMs = options.clock.now()
      }),
    )
  }
  const entryOf = ({ id, version }: TemplateOwner): Entry => {
    const found = entries.get(id)
    if (found !== undefined && found.version === version) return found
    const entry = { version, askedMs: Number.NEGATIVE_INFINITY, readMs: Number.NEGATIVE_INFINITY, known: null }
    entries.set(id, entry)
    return entry
  }
  return {
    peek(owner) {
      const entry = entryOf(owner)
      const ageMs = options.clock.now() - entry.readMs
      if (ageMs > RENEWED_AFTER_MS) ask(owner, entry)
      return (ageMs > KNOWN_FOR_MS ? null : entry.known) ?? fixed.get(owner.connector) ?? null
    },
    prepare(owner) {
      if (!fixed.has(owner.connector)) return null
      const entry = entryOf(owner)
      if (entry.known !== null) return null
      ask(owner, entry)
      return asking.get(owner.id) ?? null
    },
    doubt: (owner) => ask(owner, entryOf(owner)),
    async refresh(owner) {
      await asking.get(owner.id)
      const entry = entryOf(owner)
      entry.askedMs = Number.NEGATIVE_INFINITY
      ask(owner, entry)
      await asking.get(owner.id)
    },
    async stop() {
      closing.abort()
      await Promise.all(asking.values())
    },
  }
}

const know = ({ name, language, status, category, components }: ChannelTemplate): KnownTemplate => ({
  name,
  language,
  status,
  isMarketing: category.toUpperCase() === 'MARKETING',
  blanks: readBlanks(components),
})

/** By name of the connector. */
const fixedTemplates = (connectors: ConnectorMap): ReadonlyMap<string, KnownTemplates> =>
  new Map(
    [...connectors.values()].flatMap(({ name, templates }) =>
      templates === undefined ? [] : [[name, { templates: templates.map(know), readAt: null }] as const],
    ),
  )

/** Never throws: what cannot be read is not known, and the channel judges. */
async function readTemplates(
  { numbers, clock, log }: TemplateDirectoryOptions,
  { orgId, id }: TemplateOwner,
  closing: AbortSignal,
): Promise<KnownTemplates | null> {
  try {
    const opened = await numbers.open(orgId, id)
    if (opened === null) return null
    const readAt = new Date(clock.now())
    const signal = AbortSignal.any([closing, AbortSignal.timeout(ANSWER_TIMEOUT_MS)])
    const outcome = await opened.connector.listTemplates(opened.number, signal)
    if (outcome.kind === 'done') return { templates: outcome.templates.map(know), readAt }
    log.info({ org_id: orgId, number_id: id, code: outcome.failure.code }, 'templates of a number are not known')
  } catch (error) {
    if (!closing.aborted)
      log.warn({ org_id: orgId, number_id: id, err: error }, 'reading the templates of a number failed')
  }
  return null
}

export { checkTemplateParameters, readBlanks } from './template-parameters.ts'
