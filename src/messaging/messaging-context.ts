import type { ChatsContext } from './chats/chats.ts'
import type { HomeCountry } from './contacts/home-country.ts'
import type { Sender } from './sending/sender.ts'

/** What the routes need. */
export type MessagingContext = ChatsContext & { homeCountry: HomeCountry; sender: Sender }
