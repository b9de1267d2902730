import { WhatsAppAPI } from 'whatsapp-api-js'
import {
  ActionButtons,
  ActionCallPermission,
  ActionCatalog,
  ActionContactRequest,
  ActionCTA,
  ActionDataExchangeFlow,
  ActionList,
  ActionLocation,
  ActionNavigateFlow,
  ActionProduct,
  ActionProductList,
  Audio,
  Body,
  BodyComponent,
  BodyParameter,
  Button,
  CarouselCard,
  CarouselComponent,
  CatalogComponent,
  CatalogProduct,
  Contacts,
  CopyComponent,
  Currency,
  DateTime,
  Document,
  FlowComponent,
  Footer,
  Header,
  HeaderComponent,
  HeaderParameter,
  Image,
  Interactive,
  Language,
  ListSection,
  Location,
  LTOComponent,
  MPMComponent,
  Name,
  PayloadComponent,
  Phone,
  Product,
  ProductSection,
  Reaction,
  Row,
  Sticker,
  Template,
  Text,
  URLComponent,
  Video,
} from 'whatsapp-api-js/messages'
import { inbound, link, phoneNumberId, picture, run, settings, to } from './client-run.mjs'

/** The client has Meta's address built in; its `ponyfill.fetch` option is where another one is given. */
const fetchHere = (url, init) => fetch(String(url).replace('https://graph.facebook.com', settings.baseUrl), init)
const client = new WhatsAppAPI({ token: settings.token, secure: false, ponyfill: { fetch: fetchHere } })

const send = (make, context) => async () => {
  const answer = await client.sendMessage(phoneNumberId, to, make(), context, 'order:1')
  if (answer.error !== undefined) throw new Error(JSON.stringify(answer.error))
  return answer
}
const interactive = (makeAction, header) =>
  send(() => new Interactive(makeAction(), new Body('Look'), header, new Footer('Footer')))

const upload = async () => {
  const form = new FormData()
  form.set('file', new Blob([picture], { type: 'image/png' }), 'a.png')
  return (await client.uploadMedia(phoneNumberId, form)).id
}

await run('whatsapp-api-js', {
  text: send(() => new Text('Halo', true)),
  'text as a reply': send(() => new Text('Ya'), inbound),
  image: send(() => new Image(link, false, 'A picture')),
  video: send(() => new Video('https://example.com/a.mp4', false, 'A video')),
  audio: send(() => new Audio('https://example.com/a.mp3')),
  document: send(() => new Document('https://example.com/a.pdf', false, 'A document', 'a.pdf')),
  sticker: send(() => new Sticker('https://example.com/a.webp')),
  location: send(() => new Location(106.8, -6.2, 'Monas', 'Jakarta')),
  contacts: send(() => new Contacts([new Name('Sari Dewi', 'Sari'), new Phone('+6281200000009')])),
  reaction: send(() => new Reaction(inbound, '👍')),
  'reply buttons': interactive(
    () => new ActionButtons(new Button('yes', 'Yes'), new Button('no', 'No')),
    new Header('Header'),
  ),
  'reply buttons under a picture': interactive(
    () => new ActionButtons(new Button('yes', 'Yes')),
    new Header(new Image(link)),
  ),
  list: interactive(() => new ActionList('Open', new ListSection('Food', new Row('nasi', 'Nasi goreng', 'Rp25.000')))),
  'link button': interactive(() => new ActionCTA('Pay', 'https://example.com/pay')),
  'location request': send(() => new Interactive(new ActionLocation(), new Body('Where are you?'))),
  flow: interactive(() => new ActionNavigateFlow('token', '1', 'Book', 'WELCOME', { seats: 2 })),
  'flow with data exchange': interactive(() => new ActionDataExchangeFlow('token', '1', 'Book')),
  'call permission': send(() => new Interactive(new ActionCallPermission(), new Body('May we call?'))),
  'contact request': send(() => new Interactive(new ActionContactRequest(), new Body('Your number?'))),
  product: send(() => new Interactive(new ActionProduct(new CatalogProduct('SKU-1', '1')), new Body('This'))),
  'product list': send(
    () =>
      new Interactive(
        new ActionProductList('1', new ProductSection('Food', new Product('SKU-1'))),
        new Body('All'),
        new Header('Ours'),
      ),
  ),
  catalogue: send(() => new Interactive(new ActionCatalog(new Product('SKU-1')), new Body('Browse'))),
  template: send(
    () =>
      new Template(
        'order_paid',
        new Language('id'),
        new BodyComponent(new BodyParameter('A-1042'), new BodyParameter('Rp 75.000')),
      ),
  ),
  'template with a picture and a link': send(
    () =>
      new Template(
        'order_link',
        'id',
        new HeaderComponent(new HeaderParameter(new Image(link))),
        new URLComponent('A-17'),
      ),
  ),
  'template with money, a date and every button': send(
    () =>
      new Template(
        'promo',
        'id',
        new BodyComponent(
          new BodyParameter(new Currency(1000, 'IDR', 'Rp1')),
          new BodyParameter(new DateTime('today')),
          new BodyParameter('Sari'),
        ),
        new PayloadComponent('x'),
        new CopyComponent('CODE'),
        new FlowComponent('token', { step: 1 }),
        new CatalogComponent(new Product('SKU-1')),
        new MPMComponent(new Product('SKU-1'), new ProductSection('Food', new Product('SKU-1'))),
        new LTOComponent(1_900_000_000_000),
      ),
  ),
  'carousel template': send(
    () =>
      new Template(
        'menu',
        'id',
        new CarouselComponent(
          new CarouselCard(new Image(link), new BodyComponent(new BodyParameter('A')), new PayloadComponent('x')),
          new CarouselCard(new Image(link), new BodyComponent(new BodyParameter('B')), new PayloadComponent('y')),
        ),
      ),
  ),
  'mark as read': () => client.markAsRead(phoneNumberId, inbound),
  'mark as read, typing': () => client.markAsRead(phoneNumberId, inbound, 'text'),
  'image by id': async () => {
    const id = await upload()
    return send(() => new Image(id, true))()
  },
  'upload, describe, download and delete a file': async () => {
    const id = await upload()
    const { url } = await client.retrieveMedia(id, phoneNumberId)
    const bytes = await (await client.fetchMedia(url)).arrayBuffer()
    if (Buffer.from(bytes).compare(picture) !== 0) throw new Error('the file came back changed')
    return client.deleteMedia(id, phoneNumberId)
  },
  'a refusal is understood': async () => {
    const { error } = await client.sendMessage(phoneNumberId, '12', new Text('x'))
    if (error?.code !== 131009) throw new Error(JSON.stringify(error))
    return { code: error.code, details: error.error_data.details }
  },
})
