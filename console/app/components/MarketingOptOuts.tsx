import { Text } from '@mantine/core'
import { useQuery, useQueryClient } from '@tanstack/react-query'
import { useCallback } from 'react'
import { type Chat, contactQuery, type MarketingOptOut } from '../api/chats.ts'
import { numbersQuery } from '../api/settings.ts'
import { useSay } from '../text/text.tsx'
import { Time } from '../ui/Time.tsx'
import { useLive } from './Live.tsx'

type Parties = Pick<Chat, 'contact' | 'number'>

const NONE: MarketingOptOut[] = []

/** Which of our numbers a person wants no marketing from. They say so to the network, at any moment. */
export function useMarketingOptOuts({ contact: { id } }: Pick<Chat, 'contact'>): MarketingOptOut[] {
  const queries = useQueryClient()
  const contact = useQuery(contactQuery(id))
  useLive(
    'event',
    useCallback(
      ({ type }) => {
        if (type === 'contact.updated') queries.invalidateQueries({ queryKey: contactQuery(id).queryKey })
      },
      [queries, id],
    ),
  )
  return contact.data?.marketing_opt_outs ?? NONE
}

export const isStoppedOn = (optOuts: readonly MarketingOptOut[], { number }: Pick<Chat, 'number'>): boolean =>
  optOuts.some(({ number_id }) => number_id === number.id)

/** The number of this chat first; the others by what they are called. */
export function MarketingOptOuts({ chat, optOuts }: { chat: Parties; optOuts: readonly MarketingOptOut[] }) {
  const say = useSay()
  const numbers = useQuery(numbersQuery)
  const phoneOf = (id: string) => numbers.data?.data.find((number) => number.id === id)?.display_phone ?? id
  return optOuts
    .toSorted((one, other) => Number(other.number_id === chat.number.id) - Number(one.number_id === chat.number.id))
    .map(({ number_id, at }) => (
      <Text size="sm" key={number_id} component="div">
        {number_id === chat.number.id
          ? say('chats.marketingStopped')
          : say('chats.marketingStoppedOn', { phone: phoneOf(number_id) })}
        , <Time at={at} />
      </Text>
    ))
}
