import { expect, test } from 'bun:test'
import { newId } from '../../kernel/ids.ts'
import { listReferredFiles, mediaIdOf, replaceNestedFiles, wireMediaIdOf } from './content-media.ts'
import type { MessageContent } from './message-content.ts'

const template: MessageContent = {
  type: 'template',
  template: {
    name: 'menu',
    language: { code: 'id' },
    components: [
      { type: 'header', parameters: [{ type: 'image', image: { id: 'med_1' } }] },
      { type: 'body', parameters: [{ type: 'text', text: 'med_1' }] },
      {
        type: 'carousel',
        cards: [
          { components: [{ type: 'header', parameters: [{ type: 'video', video: { id: 'med_2' } }] }] },
          { components: [{ type: 'header', parameters: [{ type: 'image', image: { link: 'https://a.example' } }] }] },
          { components: [{ type: 'header', parameters: [{ type: 'image', image: { id: 'med_1' } }] }] },
        ],
      },
    ],
  },
}

const buttons: MessageContent = {
  type: 'interactive',
  interactive: {
    type: 'button',
    header: { type: 'document', document: { id: 'med_3' } },
    body: { text: 'Pick' },
    action: { buttons: [{ type: 'reply', reply: { id: 'med_3', title: 'Yes' } }] },
  },
}

test('files are found in headers, parameters and cards, each with its place', () => {
  const found = (content: MessageContent) => listReferredFiles(content).map(({ id, path }) => [id, path.join('.')])
  expect(found(template)).toEqual([
    ['med_1', 'template.components.0.parameters.0.image'],
    ['med_2', 'template.components.2.cards.0.components.0.parameters.0.video'],
    ['med_1', 'template.components.2.cards.2.components.0.parameters.0.image'],
  ])
  expect(found(buttons)).toEqual([['med_3', 'interactive.header.document']])
})

test('only ids of files are replaced, and the content that was given stays as it is', () => {
  const before = JSON.stringify(template)
  const ids = new Map([
    ['med_1', '111'],
    ['med_2', '222'],
    ['med_3', '333'],
  ])
  expect(JSON.stringify(replaceNestedFiles(template, ids))).toBe(
    before.replaceAll('"id":"med_1"', '"id":"111"').replace('"id":"med_2"', '"id":"222"'),
  )
  expect(JSON.stringify(template)).toBe(before)
  expect(replaceNestedFiles(buttons, ids)).toMatchObject({
    interactive: { header: { document: { id: '333' } }, action: { buttons: [{ reply: { id: 'med_3' } }] } },
  })
})

test('a picture message names its own file, and nothing inside of it is replaced', () => {
  const picture: MessageContent = { type: 'image', media: { id: 'med_1' } }
  expect(listReferredFiles(picture)).toEqual([{ type: 'image', id: 'med_1', path: ['media'] }])
  expect(listReferredFiles({ type: 'image', media: { link: 'https://a.example' } })).toEqual([])
  expect(replaceNestedFiles(picture, new Map([['med_1', '1']]))).toBe(picture)
})

test('an id of a file is made of digits and leads back to the file', () => {
  for (let count = 0; count < 100; count++) {
    const id = newId('med')
    expect(wireMediaIdOf(id)).toMatch(/^[1-9]\d{29,38}$/)
    expect(mediaIdOf(wireMediaIdOf(id))).toBe(id)
    expect(mediaIdOf(id)).toBe(id)
  }
})

test('what is no id of a file is not taken for one', () => {
  const tooLarge = (2n ** 128n).toString()
  for (const other of ['', '106540352242922', 'med_1', tooLarge, '9'.repeat(39), `0${'1'.repeat(36)}`, 'x'.repeat(37)])
    expect(mediaIdOf(other)).toBeNull()
})
