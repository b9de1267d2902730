import type { Id } from '../../kernel/ids.ts'
import { listUnplaced } from '../chats/chats.ts'
import { listPersons, lockPeople, type Person } from '../contacts/contacts.ts'
import {
  type ContactLink,
  findUnchanged,
  linkToContact,
  lockHolders,
  lockThreadsOfPeople,
  type Resolution,
  recordResolution,
  resolveContact,
} from '../identities/identities.ts'
import type { BatchApplying } from './applying.ts'

/**
 * The people of a batch: who wrote on which number, whom statuses link to other names, and the messages of those statuses.
 */
export type BatchPeople = {
  written: readonly { person: Person; numberId: Id<'num'> }[]
  links: readonly ContactLink[]
  /** Known people whose rows are locked as well. */
  besides: readonly Id<'con'>[]
  messageIds: readonly Id<'msg'>[]
}

/**
 * Resolves the people of a batch of reports to contacts. Nearly always all are known and unchanged: one statement, no lock.
 * For the others all locks are taken at once (contact-locks.ts), then each person is resolved or linked in turn.
 */
export class People {
  readonly #resolutions = new Map<string, Resolution>()
  readonly #held = new Set<Id<'con'>>()

  /** The contact that this person was resolved to. */
  of(person: Person): Resolution {
    const resolution = this.#resolutions.get(nameOf(person))
    if (resolution === undefined) throw new Error('a person of the batch was not resolved')
    return resolution
  }

  /** Whether this transaction holds the row, so that no other can merge the contact or create a chat for it. */
  holds(contactId: Id<'con'>): boolean {
    return this.#held.has(contactId)
  }

  async resolve(applying: BatchApplying, batch: BatchPeople): Promise<void> {
    const { tx, orgId } = applying
    const { written, links, besides } = batch
    const people = [...new Map(written.map(({ person }) => [nameOf(person), person])).values()]
    const newPeople = await this.#findKnown(applying, people)
    if (newPeople.length === 0 && links.length === 0 && besides.length === 0) return
    await this.#lock(applying, newPeople, batch)
    for (const person of newPeople) {
      const resolution = await resolveContact(tx, orgId, person, applying.now)
      this.#keep(person, resolution)
      this.#held.add(resolution.contact.id)
    }
    const linked: Resolution[] = []
    for (const link of links) {
      const resolution = await linkToContact(tx, orgId, { ...link, now: applying.now })
      if (resolution !== null) linked.push(resolution)
    }
    const changed = [...this.#resolutions.values(), ...linked].filter(({ isChanged }) => isChanged)
    if (changed.length > 0 || besides.length > 0) await this.#lookAgain(applying, people)
    for (const resolution of linked) await recordResolution(applying, resolution)
  }

  async #lock({ tx, orgId }: BatchApplying, newPeople: readonly Person[], batch: BatchPeople): Promise<void> {
    const links = [...newPeople.map((person) => ({ person, contactId: null })), ...batch.links]
    await lockPeople(
      tx,
      links.map(({ person }) => ({ orgId, person })),
    )
    const places = batch.written.flatMap(({ person, numberId }) => {
      const known = this.#resolutions.get(nameOf(person))
      return known === undefined ? [] : [{ contactId: known.contact.id, numberId }]
    })
    // Known people who write on this number for the first time are locked too; otherwise the transaction would start again.
    const unplaced = places.length === 0 ? [] : await listUnplaced(tx, orgId, places)
    const besides = [...batch.besides, ...unplaced.map(({ contact_id }) => contact_id)]
    const locked = await lockHolders(tx, orgId, { links, besides })
    for (const id of locked.ids) this.#held.add(id)
    await lockThreadsOfPeople(tx, orgId, locked, { messageIds: batch.messageIds, places })
  }

  /** Returns the people whose reported details differ from what is stored. */
  async #findKnown({ tx, orgId }: BatchApplying, people: readonly Person[]): Promise<Person[]> {
    if (people.length === 0) return []
    const found = await findUnchanged(tx, orgId, people)
    return people.filter((person, index) => {
      const resolution = found[index] ?? null
      if (resolution !== null) this.#keep(person, resolution)
      return resolution === null
    })
  }

  /** Reads the contacts again: a change of one person may have merged another person of the batch. */
  async #lookAgain({ tx, orgId }: BatchApplying, people: readonly Person[]): Promise<void> {
    const ids = new Set(people.map((person) => this.of(person).contact.id))
    const found = await listPersons(tx, orgId, [...ids])
    const contacts = new Map(found.map(({ asked_id, ...contact }) => [asked_id, contact]))
    for (const person of people) {
      const before = this.of(person)
      this.#keep(person, { ...before, contact: contacts.get(before.contact.id) ?? before.contact })
    }
  }

  #keep(person: Person, resolution: Resolution): void {
    this.#resolutions.set(nameOf(person), resolution)
  }
}

const nameOf = ({ phone, userId, username, name, groupId = null }: Person): string =>
  JSON.stringify([phone, userId, username, name, groupId])
