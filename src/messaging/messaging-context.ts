import type { ChatsContext } from './chats.ts'
import type { HomeCountry } from './home-country.ts'
import type { Sender } from './sender.ts'

/** What the routes need. */
export type MessagingContext = ChatsContext & { homeCountry: HomeCountry; sender: Sender }
