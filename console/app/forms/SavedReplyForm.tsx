import { Button, Group, Stack, Text, Textarea, TextInput } from '@mantine/core'
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { useRef, useState } from 'react'
import { useIdempotencyKey } from '../api/client.ts'
import { createSavedReply, deleteSavedReply, REPLIES_KEY, type SavedReply, updateSavedReply } from '../api/replies.ts'
import { sessionQuery } from '../api/session.ts'
import { fillReply, type ReplyVariable, replyVariables } from '../components/reply-variables.ts'
import { useSay } from '../text/text.tsx'
import { Confirm } from '../ui/Confirm.tsx'
import { ProblemMessage } from '../ui/Message.tsx'
import { rupiah } from '../ui/Money.tsx'
import { submitting, useRefusal } from '../ui/submission.ts'
import { useFormDraft } from './form-draft.ts'

const SAMPLE_TOTAL = 140_000

/** A saved reply, new or as it is, with what a customer would read. */
export function SavedReplyForm({ reply, onDone }: { reply: SavedReply | null; onDone: () => void }) {
  const say = useSay()
  const queries = useQueryClient()
  const [{ shortcut, body }, set, clearDraft] = useFormDraft(`saved reply ${reply?.id ?? ''}`, () => ({
    shortcut: reply?.shortcut ?? '',
    body: reply?.body ?? '',
  }))
  const field = useRef<HTMLTextAreaElement>(null)
  const { keyFor } = useIdempotencyKey()
  const done = () => {
    clearDraft()
    queries.invalidateQueries({ queryKey: REPLIES_KEY })
    onDone()
  }
  const attempt = useMutation({
    mutationFn: () => {
      const input = { shortcut: shortcut.trim().replace(/^\//, ''), body: body.trim() }
      return reply === null ? createSavedReply(input, keyFor(input)) : updateSavedReply(reply.id, input)
    },
    onSuccess: done,
  })
  const refusal = useRefusal(attempt.error)
  const isTaken = refusal?.code === 'saved_reply_shortcut_taken'
  const insert = (name: ReplyVariable) => {
    const { selectionStart: from = body.length, selectionEnd: to = body.length } = field.current ?? {}
    set({ body: `${body.slice(0, from)}{{${name}}}${body.slice(to)}` })
    field.current?.focus()
  }
  return (
    <form onSubmit={submitting(() => attempt.mutate())}>
      <Stack gap="md">
        <TextInput
          label={say('replies.shortcut')}
          description={say('replies.shortcutHelp')}
          leftSection="/"
          required
          maxLength={41}
          autoCapitalize="none"
          data-autofocus
          value={shortcut}
          onChange={(event) => set({ shortcut: event.currentTarget.value })}
          error={refusal?.at('shortcut') ?? (isTaken ? refusal.message : undefined)}
        />
        <Textarea
          ref={field}
          label={say('replies.body')}
          required
          autosize
          minRows={4}
          maxRows={12}
          maxLength={4096}
          value={body}
          onChange={(event) => set({ body: event.currentTarget.value })}
          error={refusal?.at('body')}
        />
        <Group gap={6} role="group" aria-label={say('replies.insert')}>
          {replyVariables.map((name) => (
            <Button key={name} size="compact-sm" variant="default" onClick={() => insert(name)}>
              {say(`replies.variable.${name}`)}
            </Button>
          ))}
        </Group>
        {body.trim() !== '' && <ReplyPreview body={body} />}
        {refusal !== null && refusal.fields.length === 0 && !isTaken && <ProblemMessage error={refusal} />}
        <Group justify="space-between">
          <Button type="submit" loading={attempt.isPending}>
            {say(reply === null ? 'replies.create' : 'replies.save')}
          </Button>
          {reply !== null && <DeleteReply reply={reply} onDone={done} />}
        </Group>
      </Stack>
    </form>
  )
}

function ReplyPreview({ body }: { body: string }) {
  const say = useSay()
  const { data: session } = useQuery(sessionQuery)
  const sample = {
    customer_name: say('replies.sample.customer'),
    shop_name: session?.organization.name ?? null,
    order_number: '1042',
    order_total: rupiah(SAMPLE_TOTAL),
    order_link: `${window.location.origin}/pay/…`,
  }
  return (
    <div>
      <Text size="xs" className="quiet" mb={4}>
        {say('replies.preview')}
      </Text>
      <div className="bubble template-preview" style={{ whiteSpace: 'pre-wrap', overflowWrap: 'anywhere' }} dir="auto">
        {fillReply(body, sample)}
      </div>
    </div>
  )
}

function DeleteReply({ reply, onDone }: { reply: SavedReply; onDone: () => void }) {
  const say = useSay()
  const [isAsking, setAsking] = useState(false)
  const removal = useMutation({ mutationFn: () => deleteSavedReply(reply.id), onSuccess: onDone })
  return (
    <>
      <Button variant="light" color="red" onClick={() => setAsking(true)}>
        {say('replies.delete')}
      </Button>
      <Confirm
        isOpen={isAsking}
        title={say('replies.sure', { shortcut: reply.shortcut })}
        consequence={say('replies.consequence')}
        act={say('replies.delete')}
        isPending={removal.isPending}
        error={removal.error}
        onConfirm={() => removal.mutate()}
        onClose={() => setAsking(false)}
      />
    </>
  )
}
