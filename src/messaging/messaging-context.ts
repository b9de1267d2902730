import type { ChatRoutesContext } from './chats/chats.routes.ts'
import type { MessageRoutesContext } from './messages/messages.routes.ts'
import type { Sender } from './sending/acceptance.ts'

/** What the routes need. */
export type MessagingContext = ChatRoutesContext & MessageRoutesContext & { sender: Sender }
