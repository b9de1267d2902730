import { describe, expect, test } from 'bun:test'
import { maskLocation, maskUrl } from './endpoint-secrets.ts'

describe('a masked URL', () => {
  test.each([
    ['https://shop.example.com/hooks', 'https://shop.example.com/hooks'],
    ['https://shop.example.com/hooks?token=s3cret&env=live', 'https://shop.example.com/hooks?token=***&env=***'],
    ['https://shop.example.com/hooks?s3cret', 'https://shop.example.com/hooks?***'],
    ['https://shop.example.com/?a=b=s3cret', 'https://shop.example.com/?a=***'],
    ['https://user:pass@shop.example.com/', 'https://***@shop.example.com/'],
    [
      'https://chat.example.com/services/T00000000/B00000000/abcDEF123456abcDEF123456',
      'https://chat.example.com/services/T00000000/B00000000/***',
    ],
    [`https://chat.example.com/api/webhooks/42/${'ab-_'.repeat(17)}`, 'https://chat.example.com/api/webhooks/42/***'],
    ['https://shop.example.com/nexkit-order-webhook-v2-live', 'https://shop.example.com/nexkit-order-webhook-v2-live'],
    ['http://127.0.0.1:9000/a?b=c#s3cret', 'http://127.0.0.1:9000/a?b=***'],
  ])('%s', (text, masked) => {
    expect(maskUrl(text)).toBe(masked)
  })

  test('says nothing of a text that is not a URL', () => {
    expect(maskUrl('s3cret')).toBe('(unreadable URL)')
  })
})

describe('a masked location', () => {
  test.each([
    ['https://shop.example.com/hooks?token=s3cret', 'https://shop.example.com/hooks?token=***'],
    ['/hooks?token=s3cret#s3cret', '/hooks?token=***'],
    ['hooks/new?s3cret', 'hooks/new?***'],
    ['?token=s3cret', '?token=***'],
    ['//user:pass@shop.example.com/hooks', '//***@shop.example.com/hooks'],
  ])('%s', (text, masked) => {
    expect(maskLocation(text)).toBe(masked)
  })
})
