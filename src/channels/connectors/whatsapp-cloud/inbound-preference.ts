import { type ItemReader, required } from './inbound-item.ts'
import { readPerson } from './inbound-person.ts'
import { digitsOf, idOf, textOf, timeOf } from './json-reading.ts'

const MARKETING = 'marketing_messages'

/**
 * One item of `user_preferences`: a customer stops marketing messages, or resumes them. Meta reports no other category yet;
 * one that it adds is not about marketing. A word that is neither of the two is not guessed at.
 */
export const readPreference: ItemReader = (preference, contacts) => {
  if (textOf(preference.category) !== MARKETING) return [{ kind: 'other', field: 'user_preferences' }]
  const value = required(textOf(preference.value), 'the preference')
  if (value !== 'stop' && value !== 'resume') return [{ kind: 'other', field: `user_preferences ${value}` }]
  const ids = {
    phone: digitsOf(preference.wa_id),
    userId: idOf(preference.user_id),
    parentUserId: idOf(preference.parent_user_id),
  }
  const person = readPerson(ids, contacts)
  if (person.phone === null && person.userId === null) throw new Error('the preference does not say whose it is')
  return [{ kind: 'preference', person, isStopped: value === 'stop', at: timeOf(preference.timestamp) }]
}
