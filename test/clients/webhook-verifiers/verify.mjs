// Reads {"secret", "headers", "body"} from stdin and says what the official JavaScript verifier makes of it.
import { text } from 'node:stream/consumers'
import { Webhook } from 'standardwebhooks'

const delivery = JSON.parse(await text(process.stdin))
try {
  new Webhook(delivery.secret).verify(delivery.body, delivery.headers)
  process.stdout.write('accepted\n')
} catch (refusal) {
  process.stdout.write(`refused: ${refusal.message}\n`)
}
