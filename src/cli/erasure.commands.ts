import type { Id, OrgId } from '../kernel/ids.ts'
import { eraseEvent, eraseNaming, SUBJECT_FORM, type Unfinished } from '../webhooks/erasure/erasure.ts'
import type { WebhooksContext } from '../webhooks/webhooks-context.ts'
import { defineCommand, jsonOption, orgOption, UsageError } from './framework/command.ts'
import type { EnterAct } from './framework/command-audit.ts'
import { printJson, printLine } from './framework/output.ts'
import { withWebhooks } from './webhooks.ts'

export const erasureCommands = [
  defineCommand({
    name: 'event erase',
    summary: 'Erase the payload of an event, or of all events about a customer',
    details:
      'Give one event, or --subjects with ids (of contacts, chats, orders and other resources) and phone numbers: every event that is about one of them or names it is erased, together with the responses of receivers. This cannot be undone. Pending deliveries are kept unless --cancel-unfinished cancels them.',
    examples: [
      'npx nexkit event erase evt_01kmz3v7n2e0a8tq9fj6hx5c4d --org demo-store',
      'npx nexkit event erase --org demo-store --subjects +6281311112222 --cancel-unfinished',
    ],
    arguments: [{ name: 'event', help: 'id of the event, evt_…' }],
    options: {
      org: orgOption,
      subjects: { type: 'string', help: 'comma list of ids and phone numbers', placeholder: 'ids' },
      'cancel-unfinished': { type: 'boolean', help: 'cancel pending deliveries' },
      json: jsonOption,
    },
    async run({ values, arguments: [event] }) {
      if ((event === undefined) === (values.subjects === undefined))
        throw new UsageError('Give an event or --subjects, not both.')
      const unfinished: Unfinished = values['cancel-unfinished'] === true ? 'cancel' : 'keep'
      const subjects = values.subjects === undefined ? [] : readSubjects(String(values.subjects))
      const erased = await withWebhooks(values, (context, orgId, enter) =>
        event === undefined
          ? eraseAll(context, orgId, { subjects, unfinished, enter })
          : eraseOne(context, orgId, { id: String(event) as Id<'evt'>, unfinished, enter }),
      )
      if (values.json) return printJson({ object: 'event_erasure', ...erased })
      const left =
        erased.unfinished === 0
          ? ''
          : ` ${erased.unfinished} with pending deliveries were kept; --cancel-unfinished erases them too.`
      printLine(`${erased.erased === 1 ? 'One event was' : `${erased.erased} events were`} erased.${left}`)
    },
  }),
]

function readSubjects(text: string): string[] {
  const subjects = text.split(',').map((part) => part.trim())
  if (subjects.every((subject) => SUBJECT_FORM.test(subject))) return subjects
  throw new UsageError(
    '--subjects must be a comma list of ids such as con_01k9x3m5q8e0t9v7a2b4c6d8fg and phone numbers such as +6281311112222.',
  )
}

type ErasureParts = { enter: EnterAct; unfinished: Unfinished }
type Counts = { examined: number; erased: number; unfinished: number }

const COMMAND = 'event erase'

async function eraseOne(
  context: WebhooksContext,
  orgId: OrgId,
  { id, unfinished, enter }: ErasureParts & { id: Id<'evt'> },
): Promise<Counts> {
  await context.database.transaction(async (tx) => {
    await eraseEvent(context, tx, orgId, { id, unfinished })
    await enter(tx, orgId, { command: COMMAND, act: 'eraseEventPayload', subject: id })
  })
  return { examined: 1, erased: 1, unfinished: 0 }
}

/** Uses one transaction per piece of the log: an interrupted command has erased the pieces before. */
async function eraseAll(
  context: WebhooksContext,
  orgId: OrgId,
  { subjects, unfinished, enter }: ErasureParts & { subjects: string[] },
): Promise<Counts> {
  const counts = { examined: 0, erased: 0, unfinished: 0 }
  for (let after: number | null = 0; after !== null; ) {
    const from: number = after
    const step = await context.database.transaction(async (tx) => {
      const erasure = await eraseNaming(context, tx, orgId, { subjects, unfinished, after: from })
      if (erasure.erased > 0)
        await enter(tx, orgId, { command: COMMAND, act: 'eraseEvents', subject: subjects[0] ?? '' })
      return erasure
    })
    counts.examined += step.examined
    counts.erased += step.erased
    counts.unfinished += step.unfinished
    after = step.nextAfter
  }
  return counts
}
