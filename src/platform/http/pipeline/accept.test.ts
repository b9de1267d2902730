import { expect, test } from 'bun:test'
import { acceptsJson, isJsonContentType } from './accept.ts'

test('JSON is welcome where the header is missing or names it, its family or anything', () => {
  for (const header of [
    null,
    '',
    '*/*',
    'application/json',
    'Application/JSON; charset=utf-8',
    'application/*',
    'text/html, application/xml;q=0.9, */*;q=0.8',
    'text/html,application/json;q=0.1',
    'application/json;q=1.000',
    ' text/plain , application/json ',
  ]) {
    expect(acceptsJson(header)).toBe(true)
  }
})

test('JSON is not welcome where the header leaves it out or excludes it', () => {
  for (const header of [
    'text/html',
    'application/xml',
    'application/jsonp',
    'application/problem+json',
    'application/json;q=0',
    'application/json;q=0.000, */*',
    '*/*;q=0',
    'application/*;q=0, */*',
    'application/json;q=nonsense',
    'nonsense',
    ',',
  ]) {
    expect(acceptsJson(header)).toBe(false)
  }
})

test('a JSON body may carry parameters, as long as it is UTF-8', () => {
  for (const header of [
    'application/json',
    'application/json; charset=utf-8',
    'APPLICATION/JSON;charset="UTF-8"',
    'application/json;',
    'application/json ; v=1; charset=us-ascii',
  ]) {
    expect(isJsonContentType(header)).toBe(true)
  }
})

test('anything else is not a JSON body', () => {
  for (const header of [
    null,
    '',
    'text/plain',
    'application/jsonp',
    'application/x-www-form-urlencoded',
    'application/json, application/json',
    'application/merge-patch+json',
    'application/json; charset=utf-16',
    'application/json; charset="latin1"',
    'text/plain; application/json',
  ]) {
    expect(isJsonContentType(header)).toBe(false)
  }
})
