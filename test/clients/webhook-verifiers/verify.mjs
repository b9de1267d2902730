// Reads {"secret", "headers", "body"} from stdin and prints the verdict of the official JavaScript verifier.
import { text } from 'node:stream/consumers'
import { Webhook } from 'standardwebhooks'

const delivery = JSON.parse(await text(process.stdin))
try {
  new Webhook(delivery.secret).verify(delivery.body, delivery.headers)
  process.stdout.write('accepted\n')
} catch (refusal) {
  process.stdout.write(`refused: ${refusal.message}\n`)
}
