import { ActionIcon, Button, Group, Stack, Text, Textarea } from '@mantine/core'
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { type FormEvent, useState } from 'react'
import { useIdempotencyKey } from '../api/client.ts'
import { createNote, deleteNote, type Note, notesQuery } from '../api/notes.ts'
import { teamQuery } from '../api/people.ts'
import { may, sessionQuery } from '../api/session.ts'
import { useSay, useText } from '../text/text.tsx'
import { Confirm } from '../ui/Confirm.tsx'
import { Icon } from '../ui/Icon.tsx'
import { ProblemMessage } from '../ui/Message.tsx'
import { submitting } from '../ui/submission.ts'
import { exactTime } from '../ui/Time.tsx'
import { clockTime, dayName } from './chat-times.ts'
import { useLive } from './Live.tsx'
import { isSendingKey } from './WordsField.tsx'

/** The notes about a customer, as they come in from others too. */
export function useNotes(contactId: string | undefined): Note[] {
  const queries = useQueryClient()
  const query = notesQuery(contactId ?? '')
  const notes = useQuery({ ...query, enabled: contactId !== undefined })
  useLive('event', ({ type = '', subject = '' }) => {
    if (type.startsWith('note.') && subject === contactId) queries.invalidateQueries({ queryKey: query.queryKey })
  })
  return notes.data?.data ?? []
}

/** A note in a thread or a list: who wrote it, when, and that the customer does not see it. */
export function NoteBox({ note, isDated = false }: { note: Note; isDated?: boolean }) {
  const { say, language } = useText()
  const { data: session } = useQuery(sessionQuery)
  const team = useQuery(teamQuery)
  const member = team.data?.members.find(({ id }) => id === note.author.id)?.name
  const author = member ?? note.author.name ?? say(`actor.${note.author.type}`)
  return (
    <div className="note" id={note.id}>
      <Group gap={6} wrap="nowrap" justify="space-between">
        <Text size="xs" component="div" className="note-head">
          <Icon name="edit" size={12} /> {say('notes.one')} · {author} ·{' '}
          <time dateTime={note.created_at} title={exactTime(note.created_at, language)}>
            {isDated && `${dayName(note.created_at, language)} `}
            {clockTime(note.created_at, language)}
          </time>
        </Text>
        {may(session, 'chats:write') && <DeleteNote note={note} />}
      </Group>
      <div className="bubble-text" dir="auto">
        {note.body}
      </div>
    </div>
  )
}

function DeleteNote({ note }: { note: Note }) {
  const say = useSay()
  const queries = useQueryClient()
  const [isAsking, setAsking] = useState(false)
  const removal = useMutation({
    mutationFn: () => deleteNote(note),
    onSuccess: () => queries.invalidateQueries({ queryKey: notesQuery(note.contact_id).queryKey }),
  })
  return (
    <>
      <ActionIcon
        className="bubble-acts"
        variant="subtle"
        color="gray"
        size="sm"
        aria-label={say('notes.delete')}
        onClick={() => setAsking(true)}
      >
        <Icon name="close" size={14} />
      </ActionIcon>
      <Confirm
        isOpen={isAsking}
        title={say('notes.sure')}
        consequence={say('notes.consequence')}
        act={say('notes.delete')}
        isPending={removal.isPending}
        error={removal.error}
        onConfirm={() => removal.mutate()}
        onClose={() => setAsking(false)}
      />
    </>
  )
}

/** Where a note is written. It looks different from the field for messages, because nothing is sent. */
export function NoteComposer({ contactId, isFocused = false }: { contactId: string; isFocused?: boolean }) {
  const say = useSay()
  const queries = useQueryClient()
  const [text, setText] = useState('')
  const { keyFor, forget } = useIdempotencyKey()
  const adding = useMutation({
    mutationFn: (body: string) => createNote(contactId, body, keyFor(body)),
    onSuccess: () => {
      forget()
      setText('')
      queries.invalidateQueries({ queryKey: notesQuery(contactId).queryKey })
    },
  })
  const add = () => text.trim() !== '' && !adding.isPending && adding.mutate(text.trim())
  return (
    <form aria-label={say('notes.add')} onSubmit={submitting(add) as (event: FormEvent) => void}>
      <Stack gap={6}>
        <ProblemMessage error={adding.error} />
        <Group gap={6} wrap="nowrap" align="flex-end">
          <Textarea
            flex={1}
            autosize
            minRows={1}
            maxRows={6}
            maxLength={4000}
            autoFocus={isFocused}
            aria-label={say('notes.text')}
            placeholder={say('notes.text')}
            value={text}
            onChange={(event) => setText(event.currentTarget.value)}
            onKeyDown={(event) => {
              if (!isSendingKey(event)) return
              event.preventDefault()
              add()
            }}
          />
          <Button type="submit" variant="default" loading={adding.isPending} disabled={text.trim() === ''}>
            {say('notes.add')}
          </Button>
        </Group>
      </Stack>
    </form>
  )
}

/** All notes about a customer with a field for another one. */
export function NoteList({ contactId }: { contactId: string }) {
  const say = useSay()
  const { data: session } = useQuery(sessionQuery)
  const notes = useNotes(contactId)
  return (
    <Stack gap="sm">
      {may(session, 'chats:write') && <NoteComposer contactId={contactId} />}
      {notes.length === 0 && (
        <Text size="sm" className="quiet">
          {say('notes.empty')}
        </Text>
      )}
      {notes.map((note) => (
        <NoteBox key={note.id} note={note} isDated />
      ))}
    </Stack>
  )
}
